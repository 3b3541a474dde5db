import type { Digest } from "@web-tester/contracts/entities/digest";
import { picturesOf, toHtml, toText } from "@web-tester/watch/digest/mail";
import { subject } from "@web-tester/watch/digest/sentence";
import type { Mail } from "./send-mail.js";

const picturesMax = 3;
/** The most bytes of a mail with its pictures: some clients cut off longer ones, and messages should not be slow. */
const mailMaxBytes = 30_000;
/** Room for the header lines of the mail, and of each part. */
const headBytes = 2_000;
const partHeadBytes = 400;
/** The factor by which base64 makes bytes more; texts may be encoded in it too. */
const base64 = 1.38;
/** Pictures that are not drawn within this time are left out. */
const drawnWithinMs = 15_000;

/** Draws a small picture of a snapshot; null where there is none. */
export type DrawTiny = (snapshotId: string, signal: AbortSignal) => Promise<Buffer | null>;

/** Makes a mail of a digest, with pictures of its pages as far as there is room, the first ones first. */
export async function mailOf(digest: Digest, to: string[], draw: DrawTiny, signal: AbortSignal): Promise<Mail> {
  const text = toText(digest);
  const known = picturesOf(digest).slice(0, picturesMax);
  const within = AbortSignal.any([signal, AbortSignal.timeout(drawnWithinMs)]);
  const drawn = await Promise.all(known.map(async (id) => ({ id, bytes: await draw(id, within).catch(() => null) })));
  let left = mailMaxBytes - headBytes - base64 * (Buffer.byteLength(text) + Buffer.byteLength(toHtml(digest)));
  const pictures = drawn.flatMap(({ id, bytes }) => {
    if (bytes === null) return [];
    const size = partHeadBytes + base64 * bytes.length;
    if (size > left) return [];
    left -= size;
    return [{ id, cid: `${id}@pictures.web-tester`, bytes }];
  });
  return {
    ...{ to, subject: subject(digest), text, id: digest.id },
    html: toHtml(digest, new Map(pictures.map(({ id, cid }) => [id, cid]))),
    pictures: pictures.map(({ cid, bytes }) => ({ cid, bytes })),
  };
}
