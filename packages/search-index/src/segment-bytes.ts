import type { Section } from "./segment.js";

/** Joins the parts of a section that are stored as one content of the object store: its frames, followed by the sequences. */
export function joinSegment({ body, sequences }: Pick<Section, "body" | "sequences">): Buffer {
  return Buffer.concat([body, sequences]);
}

/** Splits them again. @param frameEnds those of the same section: the last one is where the sequences begin */
export function splitSegment(bytes: Buffer, frameEnds: readonly number[]): Pick<Section, "body" | "sequences"> {
  const end = frameEnds.at(-1) ?? 0;
  return { body: bytes.subarray(0, end), sequences: bytes.subarray(end) };
}
