import { AppError } from "@web-tester/contracts/errors";
import { questions } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import type { z } from "zod";
import type { SiteSessions } from "../steps/site-sessions.js";

type TryReply = z.infer<typeof questions.tryLogin.reply>;
type SignInReply = z.infer<typeof questions.signIn.reply>;

/**
 * Handler of the question `tryLogin`: signs in for a person who watches. Its pictures are stored as content that no row
 * refers to.
 */
export function createAnswerTryLogin(
  sessions: SiteSessions,
  store: Pick<ObjectStore, "write">,
): (request: unknown) => Promise<TryReply> {
  async function keep(png: Buffer | null): Promise<string | null> {
    if (png === null) return null;
    const hash = hashContent(png);
    await store.write(hash, png);
    return hash.toString("hex");
  }
  return async (request) => {
    const { objectId } = readQuestion(questions.tryLogin, request);
    const steps = [];
    for (const { picture, ...step } of await sessions.attempt(objectId))
      steps.push({ ...step, picture: await keep(picture) });
    return { steps };
  };
}

/** Handler of the question `signIn`: signs in for the crawler, which has no browser of its own. */
export function createAnswerSignIn(sessions: SiteSessions): (request: unknown) => Promise<SignInReply> {
  return async (request) => {
    const { objectId, round, expired } = readQuestion(questions.signIn, request);
    try {
      await (expired === undefined ? sessions.of(objectId, round) : sessions.renew(objectId, round, expired));
      return { problem: null };
    } catch (error) {
      if (error instanceof AppError && error.code === "login_failed") return { problem: error.message };
      throw error;
    }
  };
}
