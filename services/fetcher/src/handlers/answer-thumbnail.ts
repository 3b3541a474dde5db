import { AppError } from "@web-tester/contracts/errors";
import { questions } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import type { BrowserPool } from "@web-tester/loader/browser/browser-pool";
import type { Database } from "@web-tester/platform/database/database";
import { coalesceRuns } from "@web-tester/platform/lifecycle/coalesce";
import { createFairSlots } from "@web-tester/platform/lifecycle/fair-slots";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { readVisual, visualKey, writeVisual } from "@web-tester/records/changes/visual-cache";
import type { Replayer } from "@web-tester/replay/replayer";
import { z } from "zod";
import { drawThumbnail, type ThumbnailSize } from "../steps/draw-page.js";
import { pictureKey, selectPage } from "../steps/stored-page.js";

interface ThumbnailDeps {
  db: Database;
  store: ObjectStore;
  pool: BrowserPool;
  replayer: Replayer;
  signal: AbortSignal;
}

type Reply = z.infer<typeof questions.thumbnail.reply>;

const made = z.object({ sha256: z.string() });
/**
 * Thumbnails drawn at once; one object never takes both places, and pages that are being fetched keep their own places in
 * the browser.
 */
const atOnce = 2;

/**
 * Handler of the question `thumbnail`: draws a thumbnail that is not cached. Snapshots whose page and files are equal share one.
 */
export function createAnswerThumbnail(deps: ThumbnailDeps): (request: unknown) => Promise<Reply> {
  const { db, store, pool } = deps;
  const share = coalesceRuns();
  const places = createFairSlots(atOnce, atOnce - 1);

  async function find(snapshotId: string, size: ThumbnailSize): Promise<Reply> {
    const stored = await selectPage(db, snapshotId);
    const key = visualKey(size === "tiny" ? "tiny" : "thumbnail", pictureKey("thumbnail", stored).toString("hex"));
    const known = await readVisual(db, key, made);
    if (known !== null && (await store.has(Buffer.from(known.sha256, "hex")))) return known;
    const problem = await pool.problem();
    if (problem !== null) return { problem };
    return share(key.toString("hex"), async () => {
      const wanted = AbortSignal.any([deps.signal, AbortSignal.timeout(questions.thumbnail.timeoutMs)]);
      const release = await places.take(stored.objectId, wanted);
      try {
        const picture = await drawThumbnail(stored, deps, size);
        const hash = hashContent(picture);
        await store.write(hash, picture);
        const drawn = { sha256: hash.toString("hex") };
        await writeVisual(db, key, drawn);
        return drawn;
      } finally {
        release();
      }
    });
  }

  return async (request) => {
    const asked = readQuestion(questions.thumbnail, request);
    try {
      return await find(asked.snapshotId, asked.tiny === true ? "tiny" : "small");
    } catch (error) {
      if (error instanceof AppError && error.code !== "unavailable") return { problem: error.message };
      throw error;
    }
  };
}
