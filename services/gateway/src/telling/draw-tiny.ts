import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { askQuestion } from "../http/ask-question.js";
import type { DrawTiny } from "./mail-of.js";

/** Has a fetcher draw pictures for mails; whoever waits for one goes on without it when its signal says so. */
export function createDrawTiny(bus: Bus, store: ObjectStore): DrawTiny {
  return async (snapshotId, signal) => {
    const ended = Promise.withResolvers<null>();
    const end = () => ended.resolve(null);
    signal.addEventListener("abort", end, { once: true });
    try {
      return await Promise.race([ended.promise, draw(bus, store, snapshotId).catch(() => null)]);
    } finally {
      signal.removeEventListener("abort", end);
    }
  };
}

async function draw(bus: Bus, store: ObjectStore, snapshotId: string): Promise<Buffer | null> {
  const drawn = await askQuestion(bus, questions.thumbnail, { snapshotId, tiny: true });
  return "problem" in drawn ? null : store.read(Buffer.from(drawn.sha256, "hex"));
}
