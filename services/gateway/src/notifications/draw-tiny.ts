import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { askQuestion } from "../http/ask-question.js";
import type { DrawTiny } from "./mail-of.js";

/** Creates the function by which a fetcher draws small pictures for mails; it returns null as soon as its signal aborts. */
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
