import type { Section } from "./segment.js";

/** What of a section is kept as one content of the object store: its frames, and the sequences behind them. */
export function joinSegment({ body, sequences }: Pick<Section, "body" | "sequences">): Buffer {
  return Buffer.concat([body, sequences]);
}

/** @param frameEnds of the same section: the last one is where the sequences begin */
export function splitSegment(bytes: Buffer, frameEnds: readonly number[]): Pick<Section, "body" | "sequences"> {
  const end = frameEnds.at(-1) ?? 0;
  return { body: bytes.subarray(0, end), sequences: bytes.subarray(end) };
}
