import type { Readable } from "node:stream";
import { through } from "@web-tester/platform/lifecycle/streams";
import { type Coding, createDecoder, describeDecodeFailure, tooLarge } from "./content-codings.js";

interface StreamBudget {
  /** Outermost first. */
  codings: readonly Coding[];
  /** The most bytes on the wire; the consumer limits how much comes out of them. */
  maxBytes: number;
  /** The name of the body at the start of a sentence. */
  where: string;
  onWire: (bytes: number) => void;
}

/**
 * Yields the pieces of a body as they arrive, its codings removed; nothing is buffered but what a decoder needs. A
 * consumer that stops early ends it.
 * @throws AppError too_large, encoding_broken, or what the body was destroyed with
 */
export function streamBody(body: Readable, budget: StreamBudget): AsyncGenerator<Buffer> {
  let pieces = counted(body, budget);
  for (const coding of budget.codings) pieces = decoded(pieces, coding, budget);
  return pieces;
}

async function* counted(body: Readable, { maxBytes, where, onWire }: StreamBudget): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of body) {
    const piece: Buffer = chunk;
    onWire(piece.length);
    size += piece.length;
    if (size > maxBytes) throw tooLarge(maxBytes, where);
    yield piece;
  }
}

async function* decoded(
  pieces: AsyncGenerator<Buffer>,
  coding: Coding,
  { maxBytes, where }: StreamBudget,
): AsyncGenerator<Buffer> {
  const first = await pieces.next();
  if (first.done === true) return;
  try {
    yield* through(joined(first.value, pieces), createDecoder(coding, first.value));
  } catch (error) {
    throw describeDecodeFailure(error, coding, maxBytes, where);
  }
}

async function* joined(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}
