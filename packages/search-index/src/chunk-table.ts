import { chunkEnd, frameBytes } from "./segment.js";

/**
 * A table of distinct chunks, numbered in order of arrival. They are stored in frames, each with its own buffer, so that
 * nothing is copied while the text grows.
 */
export class ChunkTable {
  count = 0;
  textBytes = 0;
  /** The buffers of the frames; the last one is larger than its used part. */
  private readonly frames: Buffer[] = [];
  private readonly firstChunks: number[] = [];
  /** The used bytes of the last frame. */
  private used = 0;
  private frameOf = new Int32Array(1 << 12);
  /** The start of each chunk in its frame. */
  private starts = new Int32Array(1 << 12);
  private hashes = new Int32Array(1 << 12);
  /** The hash table, with open addressing: number of a chunk + 1. */
  private slots = new Int32Array(1 << 13);

  /** Returns the number of a chunk, adding it where it is new. @param hash equal for equal chunks */
  numberOf(bytes: Uint8Array, from: number, to: number, hash: number): number {
    if (this.count * 2 > this.slots.length) this.growSlots();
    const { slots } = this;
    const mask = slots.length - 1;
    for (let slot = mixSlot(hash) & mask; ; slot = (slot + 1) & mask) {
      const known = (slots[slot] ?? 0) - 1;
      if (known === -1) {
        slots[slot] = this.count + 1;
        return this.append(bytes.subarray(from, to), hash);
      }
      if (this.hashes[known] === hash && this.isChunk(known, bytes, from, to)) return known;
    }
  }

  /** Returns the text of each frame, and the number of its first chunk; nothing may be added afterwards. */
  *texts(): Iterable<{ text: Buffer; firstChunk: number }> {
    for (const [frame, text] of this.frames.entries())
      yield {
        text: frame === this.frames.length - 1 ? text.subarray(0, this.used) : text,
        firstChunk: this.firstChunks[frame] ?? 0,
      };
  }

  private isChunk(known: number, bytes: Uint8Array, from: number, to: number): boolean {
    const frame = this.frameOf[known] ?? 0;
    const text = this.frames[frame];
    const start = this.starts[known] ?? 0;
    const end = start + to - from;
    // no chunk contains the end byte, so a match is the whole chunk, whatever lies in memory that was not written yet
    return text !== undefined && text[end] === chunkEnd && text.compare(bytes, from, to, start, end) === 0;
  }

  private append(chunk: Uint8Array, hash: number): number {
    const needed = chunk.length + 1;
    if (this.frames.length === 0 || this.used + needed > frameBytes) this.beginFrame(needed);
    if (this.count === this.starts.length) {
      this.frameOf = doubled(this.frameOf);
      this.starts = doubled(this.starts);
      this.hashes = doubled(this.hashes);
    }
    const frame = this.frames.length - 1;
    const text = this.frames[frame];
    if (text === undefined) throw new Error("there is a frame");
    this.frameOf[this.count] = frame;
    this.starts[this.count] = this.used;
    this.hashes[this.count] = hash;
    text.set(chunk, this.used);
    text[this.used + chunk.length] = chunkEnd;
    this.used += needed;
    this.textBytes += needed;
    return this.count++;
  }

  private beginFrame(needed: number): void {
    const last = this.frames.pop();
    if (last !== undefined) this.frames.push(last.subarray(0, this.used));
    this.frames.push(Buffer.allocUnsafeSlow(Math.max(needed, frameBytes)));
    this.firstChunks.push(this.count);
    this.used = 0;
  }

  private growSlots(): void {
    const slots = new Int32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let chunk = 0; chunk < this.count; chunk += 1) {
      let slot = mixSlot(this.hashes[chunk] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = chunk + 1;
    }
    this.slots = slots;
  }
}

function mixSlot(hash: number): number {
  return Math.imul(hash ^ (hash >>> 16), 0x7feb352d) >>> 4;
}

function doubled(list: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(list.length * 2);
  larger.set(list);
  return larger;
}
