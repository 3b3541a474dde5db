import { filterRows, octetRow, pairRow, quadRow, trigramRow } from "./grams.js";
import { chunkEnd } from "./segment.js";

/** Finds the rows of a filter that a frame sets. Its memory is used again for the next one. */
export class FrameRows {
  private readonly isMet = new Uint8Array(filterRows);
  private readonly met = new Uint32Array(filterRows);
  private length = 0;
  /** By row the four bytes that were last met in it: most of a text's come again and again, with all that is shorter. */
  private readonly last = new Int32Array(filterRows);

  /** Calls back with each row that this text has. @param text chunks, each with its end */
  each(text: Uint8Array, take: (row: number) => void): void {
    this.last.fill(none);
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
    // the last four bytes, and those that were it one, two, three and four bytes ago
    let quad = 0;
    let one = 0;
    let two = 0;
    let three = 0;
    let first = 0;
    for (let at = from; ; at += 1) {
      const byte = text[at] ?? chunkEnd;
      if (byte === chunkEnd) return at + 1;
      first = three;
      three = two;
      two = one;
      one = quad;
      quad = (quad << 8) | byte;
      const length = at - from + 1;
      if (length < 8) {
        this.meetShort(quad, length);
        continue;
      }
      this.meet(octetRow(first, quad));
      const row = quadRow(quad);
      if (last[row] === quad) continue;
      last[row] = quad;
      this.meet(row);
      this.meetShort(quad, 3);
    }
  }

  /** What lies in the last bytes of `quad`. @param length how many of them there are */
  private meetShort(quad: number, length: number): void {
    this.meet(quad & 0xff);
    if (length > 1) this.meet(pairRow(quad & 0xffff));
    if (length > 2) this.meet(trigramRow(quad & 0xffffff));
    if (length > 3) this.meet(quadRow(quad));
  }

  private meet(row: number): void {
    if (this.isMet[row] !== 0) return;
    this.isMet[row] = 1;
    this.met[this.length++] = row;
  }
}

/** Four ends of chunks, which are in no chunk. */
const none = -1;
