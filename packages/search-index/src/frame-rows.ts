import { filterRows, octetRow, pairRow, quadRow, trigramRow } from "./grams.js";
import { chunkEnd } from "./segment.js";

/** Finds the filter rows that a frame sets. Its memory is reused for the next frame. */
export class FrameRows {
  private readonly isMet = new Uint8Array(filterRows);
  private readonly met = new Uint32Array(filterRows);
  private length = 0;
  /** By row, the four bytes that were last met in it: most of them repeat often, and so do the shorter grams in them. */
  private readonly last = new Int32Array(filterRows);

  /** Calls back with each row that this text sets. @param text chunks, each with its end byte */
  each(text: Uint8Array, take: (row: number) => void): void {
    this.last.fill(none);
    const { buffer, byteOffset, length } = text;
    // `Buffer.indexOf` uses the processor's vector instructions, unlike that of `Uint8Array`
    const bytes = Buffer.from(buffer, byteOffset, length);
    const view = new DataView(buffer, byteOffset, length);
    for (let from = 0; from < length;) {
      const end = bytes.indexOf(chunkEnd, from);
      this.readChunk(view, from, end);
      from = end + 1;
    }
    for (let at = 0; at < this.length; at += 1) {
      const row = this.met[at] ?? 0;
      this.isMet[row] = 0;
      take(row);
    }
    this.length = 0;
  }

  /** Reads one chunk. A function of its own, as V8 optimises what is called often, not what runs long. */
  private readChunk(text: DataView, from: number, end: number): void {
    const { last } = this;
    let quad = 0;
    for (let at = from; at < end && at < from + 7; at += 1) {
      quad = (quad << 8) | text.getUint8(at);
      this.meetShort(quad, at - from + 1);
    }
    for (let at = from + 7; at < end; at += 1) {
      quad = text.getInt32(at - 3);
      this.meet(octetRow(text.getInt32(at - 7), quad));
      const row = quadRow(quad);
      if (last[row] === quad) continue;
      last[row] = quad;
      this.meet(row);
      this.meetShort(quad, 3);
    }
  }

  /** Meets the grams that end in the last byte of `quad`. @param length how many of its bytes there are */
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

/** Four end bytes, which occur in no chunk. */
const none = -1;
