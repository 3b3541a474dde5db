import { type Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Pieces } from "@web-tester/platform/lifecycle/streams";
import {
  type Coding,
  createDecoder,
  decodeAtOnceMaxBytes,
  decodeWhole,
  describeDecodeFailure,
  tooLarge,
} from "./content-codings.js";

export interface BodyBudget {
  codings: Coding[];
  /** The most decoded bytes, and the most bytes on the wire. */
  maxBytes: number;
  /** Content-Length as the server announced it; NaN where it did not. */
  announced: number;
  /** The name of the body at the start of a sentence. */
  where: string;
  /** Called with the number of bytes that came, as they come. */
  onWire: (bytes: number) => void;
}

/**
 * Reads a body to its end and removes its codings, never holding more than `maxBytes` of any stage.
 * @throws AppError too_large, encoding_broken, or what the body was destroyed with (body_cut_off, timed_out …); the body
 * may still be open then.
 */
export async function readBody(body: Readable, budget: BodyBudget): Promise<Buffer> {
  if (budget.announced > budget.maxBytes) throw tooLarge(budget.maxBytes, budget.where);
  const [outermost, ...inner] = budget.codings;
  const gathered = await gather(body, budget, outermost === undefined ? budget.maxBytes : decodeAtOnceMaxBytes);
  if (outermost === undefined && !gathered.hasEnded) throw tooLarge(budget.maxBytes, budget.where);
  if (outermost === undefined || gathered.bytes.length === 0) return gathered.bytes;
  let bytes = gathered.hasEnded
    ? await decodeWhole(outermost, gathered.bytes, budget.maxBytes, budget.where)
    : await decodeRest(body, gathered.bytes, outermost, budget);
  for (const coding of inner) bytes = await decodeWhole(coding, bytes, budget.maxBytes, budget.where);
  return bytes;
}

/** Collects bytes until the body ends or more than `enough` came; then the body is left paused. */
function gather(body: Readable, budget: BodyBudget, enough: number): Promise<{ bytes: Buffer; hasEnded: boolean }> {
  return new Promise((resolve, reject) => {
    if (body.errored !== null) return reject(body.errored);
    const pieces = new Pieces();
    const settle = (hasEnded: boolean) => {
      body.off("data", take).off("end", end).off("error", reject);
      resolve({ bytes: pieces.whole(), hasEnded });
    };
    const end = () => settle(true);
    const take = (chunk: Buffer) => {
      budget.onWire(chunk.length);
      pieces.add(chunk);
      if (pieces.size <= enough) return;
      body.pause();
      settle(false);
    };
    body.on("data", take).on("end", end).on("error", reject);
  });
}

async function decodeRest(
  body: Readable,
  prefix: Buffer,
  coding: Coding,
  { maxBytes, where, onWire }: BodyBudget,
): Promise<Buffer> {
  const pieces = new Pieces();
  let wireBytes = prefix.length;
  async function* wire() {
    yield prefix;
    for await (const chunk of body) {
      onWire(chunk.length);
      wireBytes += chunk.length;
      if (wireBytes > maxBytes) throw tooLarge(maxBytes, where);
      yield chunk;
    }
  }
  const keep = new Writable({
    write(chunk: Buffer, _encoding, next) {
      if (pieces.size + chunk.length > maxBytes) return next(tooLarge(maxBytes, where));
      pieces.add(chunk);
      next();
    },
  });
  try {
    await pipeline(wire(), createDecoder(coding, prefix), keep);
  } catch (error) {
    throw describeDecodeFailure(error, coding, maxBytes, where);
  }
  return pieces.whole();
}
