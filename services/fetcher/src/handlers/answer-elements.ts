import { AppError } from "@web-tester/contracts/errors";
import { questions } from "@web-tester/contracts/messages";
import type { BrowserPool } from "@web-tester/loader/browser/browser-pool";
import type { Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Replayer } from "@web-tester/replay/replayer";
import { readQuestion } from "@web-tester/worker/read-question";
import type { z } from "zod";
import { elementsAt } from "../steps/draw-page.js";
import { selectPage } from "../steps/stored-page.js";

interface ElementDeps {
  db: Database;
  store: ObjectStore;
  pool: BrowserPool;
  replayer: Replayer;
  signal: AbortSignal;
}

/** Handler of the question `elementsAt`: draws the page again and returns the elements that make up a region of it. */
export function createAnswerElements(
  deps: ElementDeps,
): (request: unknown) => Promise<z.infer<typeof questions.elementsAt.reply>> {
  return async (request) => {
    const { snapshotId, region } = readQuestion(questions.elementsAt, request);
    const problem = await deps.pool.problem();
    if (problem !== null) return { problem };
    try {
      return { elements: await elementsAt(await selectPage(deps.db, snapshotId), deps, region) };
    } catch (error) {
      if (error instanceof AppError) return { problem: error.message };
      throw error;
    }
  };
}
