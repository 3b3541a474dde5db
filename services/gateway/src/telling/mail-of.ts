import type { Digest } from "@web-tester/contracts/entities/digest";
import { picturesOf, toHtml, toText } from "@web-tester/watch/digest/mail";
import { subject } from "@web-tester/watch/digest/sentence";
import type { Mail } from "./send-mail.js";

const picturesMax = 3;
/** Of a whole mail, pictures among it: some clients cut off what is longer, and nobody waits for a message. */
const mailMaxBytes = 30_000;
/** Lines of the head, and of the head of each part. */
const headBytes = 2_000;
const partHeadBytes = 400;
/** What base64 makes of bytes; texts may come as it too. */
const base64 = 1.38;
/** A picture that takes longer is left out. */
const drawnWithinMs = 15_000;

/** Draws a tiny picture of a snapshot; null where there is none. */
export type DrawTiny = (snapshotId: string, signal: AbortSignal) => Promise<Buffer | null>;

/** A mail of a digest, with pictures of the pages that it shows as far as there is room, the first ones first. */
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
