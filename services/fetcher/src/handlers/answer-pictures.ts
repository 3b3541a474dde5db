import { coalesceRuns } from "@web-tester/platform/lifecycle/coalesce";
import { AppError } from "@web-tester/contracts/errors";
import { type PicturesReply, picturesReply, questions } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import type { BrowserPool } from "@web-tester/loader/browser/browser-pool";
import type { Database } from "@web-tester/platform/database/database";
import { createFairSlots } from "@web-tester/platform/lifecycle/fair-slots";
import type { Replayer } from "@web-tester/replay/replayer";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { z } from "zod";
import { drawPage, type StoredPage } from "../steps/draw-page.js";
import { pictureKey, selectPage } from "../steps/stored-page.js";
import type { PictureComparer } from "../steps/picture-comparer.js";
import { readVisual, visualKey, writeVisual } from "@web-tester/records/changes/visual-cache";

interface PictureDeps {
  db: Database;
  store: ObjectStore;
  pool: BrowserPool;
  comparer: PictureComparer;
  replayer: Replayer;
  signal: AbortSignal;
}

const drawn = z.object({ sha256: z.string(), width: z.int(), height: z.int(), pageHeight: z.int() });
type Drawn = z.infer<typeof drawn>;
/** Comparisons at once, each with two pages in memory; one object never takes all places. */
const atOnce = 4;
/** To be raised whenever pictures are compared differently, so that cached comparisons no longer count. */
const comparedVersion = 2;

/**
 * Handler of the question `pictures`: draws two snapshots, unless their pictures are cached, and compares them. A picture
 * depends on the page and its files alone, so equal pages are drawn once. Equal questions that come while one is being
 * answered share its answer.
 */
export function createAnswerPictures(deps: PictureDeps): (request: unknown) => Promise<PicturesReply> {
  const { db, pool } = deps;
  const compare = createComparing(deps);
  const places = createFairSlots(atOnce, atOnce - 1);

  return async (request) => {
    const asked = readQuestion(questions.pictures, request);
    const { a, b, threshold } = asked;
    const problem = await pool.problem();
    if (problem !== null) return { state: "no-browser", reason: problem };
    try {
      const [one, other] = await Promise.all([selectPage(db, a), selectPage(db, b)]);
      // the asker stops waiting after this time
      const wanted = AbortSignal.any([deps.signal, AbortSignal.timeout(questions.pictures.timeoutMs)]);
      const release = await places.take(one.objectId, wanted);
      try {
        return await compare(one, other, threshold);
      } finally {
        release();
      }
    } catch (error) {
      if (error instanceof AppError && error.code === "browser_unavailable")
        return { state: "no-browser", reason: error.message };
      return { state: "failed", reason: error instanceof AppError ? error.message : "The pages could not be drawn." };
    }
  };
}

/** Draws two pages, each once, and compares the pictures; cached results whose pictures are still stored are reused. */
function createComparing(deps: PictureDeps) {
  const { db, store, comparer } = deps;
  const share = coalesceRuns();
  const has = (sha256: string) => store.has(Buffer.from(sha256, "hex"));
  const read = ({ sha256 }: Drawn) => store.read(Buffer.from(sha256, "hex"));

  async function draw(page: StoredPage, key: Buffer): Promise<Drawn> {
    const known = await readVisual(db, key, drawn);
    if (known !== null && (await has(known.sha256))) return known;
    const { png, ...size } = await drawPage(page, deps);
    const made = { ...size, sha256: await keep(store, png) };
    await writeVisual(db, key, made);
    return made;
  }

  async function compare(a: StoredPage, b: StoredPage, threshold: number): Promise<PicturesReply> {
    const keys = [pictureKey("picture", a), pictureKey("picture", b)] as const;
    const key = visualKey("difference", comparedVersion, keys[0].toString("hex"), keys[1].toString("hex"), threshold);
    return share(key.toString("hex"), async () => {
      const known = await readVisual(db, key, picturesReply);
      if (known?.state === "compared") {
        const names = [known.a.sha256, known.b.sha256, ...(known.mask === null ? [] : [known.mask])];
        if ((await Promise.all(names.map(has))).every(Boolean)) return known;
      }
      const [one, other] = await Promise.all([
        share(keys[0].toString("hex"), () => draw(a, keys[0])),
        share(keys[1].toString("hex"), () => draw(b, keys[1])),
      ]);
      const { mask, ...difference } = await comparer.compare(await read(one), await read(other), threshold);
      const kept = mask === null ? null : await keep(store, mask);
      const reply: PicturesReply = { state: "compared", a: one, b: other, ...difference, mask: kept };
      await writeVisual(db, key, reply);
      return reply;
    });
  }

  return compare;
}

async function keep(store: ObjectStore, png: Uint8Array): Promise<string> {
  const hash = hashContent(png);
  await store.write(hash, png);
  return hash.toString("hex");
}
