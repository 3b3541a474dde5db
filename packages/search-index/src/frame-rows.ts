import { chunkEnd } from "./segment.js";
import { pairRow, shortRows } from "./short-rows.js";
import { filterRows, trigramRow } from "./trigrams.js";

/** Finds the rows of a filter that a frame sets. Its memory is used again for the next one. */
export class FrameRows {
  private readonly isMet = new Uint8Array(filterRows + shortRows);
  private readonly met = new Uint32Array(filterRows + shortRows);
  private length = 0;
  /** By row the trigram that was last met in it: most of a text's trigrams come again and again, with all they bring. */
  private readonly last = new Int32Array(filterRows);

  /** Calls back with each row that this text has. @param text chunks, each with its end */
  each(text: Uint8Array, take: (row: number) => void): void {
    this.last.fill(-1);
    for (let from = 0; from < text.length;) from = this.readChunk(text, from);
    for (let at = 0; at < this.length; at += 1) {
      const row = this.met[at] ?? 0;
      this.isMet[row] = 0;
      take(row);
    }
    this.length = 0;
  }

  /** A call for each chunk, as V8 compiles thoroughly what is called often, and not what runs long. @returns where the next one begins */
  private readChunk(text: Uint8Array, from: number): number {
    const { last } = this;
    let trigram = 0;
    let at = from;
    for (; at < from + 2; at += 1) {
      const byte = text[at] ?? chunkEnd;
      if (byte === chunkEnd) return at + 1;
      trigram = (trigram << 8) | byte;
      this.meet(filterRows + byte);
    }
    this.meet(filterRows + pairRow(trigram));
    for (; ; at += 1) {
      const byte = text[at] ?? chunkEnd;
      if (byte === chunkEnd) return at + 1;
      trigram = ((trigram << 8) | byte) & 0xffffff;
      const row = trigramRow(trigram);
      if (last[row] === trigram) continue;
      last[row] = trigram;
      this.meet(row);
      this.meet(filterRows + byte);
      this.meet(filterRows + pairRow(trigram & 0xffff));
    }
  }

  private meet(row: number): void {
    if (this.isMet[row] !== 0) return;
    this.isMet[row] = 1;
    this.met[this.length++] = row;
  }
}
