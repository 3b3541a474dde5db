import { questions } from "@web-tester/contracts/messages";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { during } from "@web-tester/records/hosts/crawl-delay";
import { selectProbed } from "@web-tester/records/snapshots/claim-snapshots";
import { readQuestion } from "@web-tester/worker/read-question";
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { pauseAfter } from "../pure/large-pages.js";
import type { TakeSnapshotsDeps } from "../steps/fetch-context.js";
import { loadSignedIn } from "../steps/load-signed-in.js";

type Reply = z.infer<typeof questions.probe.reply>;

/** The longest wait for a turn of the host. A host that asks for longer pauses is not probed: the question would time out. */
const waitMaxMs = 30_000;

/**
 * Handler of the question `probe`: loads a page as a snapshot would, but records no snapshot, and never sends a
 * conditional request.
 */
export function createAnswerProbe(deps: ProbeDeps): (request: unknown) => Promise<Reply> {
  const { db, store, crawlDelay, slots } = deps;
  return async (request) => {
    const { instanceId } = readQuestion(questions.probe, request);
    const page = await selectProbed(db, instanceId);
    if (page === null) return { reason: "The page is gone." };
    const { host } = new URL(page.url);
    const moreTurns = () => slots.tryTake(host, "bulk");
    const load = await inTurn(deps, host, page.requestDelayMs, () =>
      loadSignedIn(page, null, { ...deps, moreTurns, onResource: () => undefined }),
    );
    if (load === null) return { reason: "The site had no turn for it in time." };
    const pauseMs = pauseAfter(load.page);
    if (pauseMs > 0) await crawlDelay.spare(host, pauseMs);
    if (load.page.kind !== "page")
      return { reason: load.page.kind === "failed" ? load.page.message : "It is no page." };
    const { body, charset } = load.page;
    const hash = hashContent(body);
    await store.write(hash, body);
    return { sha256: hash.toString("hex"), charset: charset ?? "utf-8" };
  };
}

type ProbeDeps = Pick<
  TakeSnapshotsDeps,
  | "db"
  | "store"
  | "secrets"
  | "crawlDelay"
  | "slots"
  | "loader"
  | "browser"
  | "reader"
  | "effects"
  | "sessions"
  | "signal"
>;

/** Loads with a slot and a turn of the host, as every load from it does. @returns null where none came within `waitMaxMs` */
async function inTurn<Result>(
  { slots, crawlDelay, signal }: ProbeDeps,
  host: string,
  delayMs: number,
  load: () => Promise<Result>,
): Promise<Result | null> {
  const end = performance.now() + waitMaxMs;
  while (performance.now() < end && !signal.aborted) {
    const release = await slots.tryTake(host, "bulk");
    if (release === null) {
      await sleep(50);
      continue;
    }
    try {
      const entry = await crawlDelay.enter(host, delayMs, signal);
      if (entry.kind === "go") return await during(entry, load);
      await sleep(Math.min(entry.waitMs, 1_000));
    } finally {
      release();
    }
  }
  return null;
}
