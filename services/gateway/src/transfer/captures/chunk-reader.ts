import { Pieces } from "@web-tester/platform/lifecycle/streams";

/** Reads arriving bytes in the portions that a format needs; holds no more than was asked for and one chunk. */
export class ChunkReader {
  private kept: Buffer = Buffer.alloc(0);
  private readonly source: AsyncIterator<Uint8Array>;
  private ended = false;
  private taken = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.source = chunks[Symbol.asyncIterator]();
  }

  /** How many bytes were taken so far. */
  get offset(): number {
    return this.taken;
  }

  /** Returns the next bytes without taking them; fewer near the end. */
  async peek(count: number): Promise<Buffer> {
    while (this.kept.length < count && (await this.more()));
    return this.kept.subarray(0, count);
  }

  /** Takes the next bytes; fewer near the end. */
  async read(count: number): Promise<Buffer> {
    const pieces = new Pieces();
    for await (const part of this.stream(count)) pieces.add(part);
    return pieces.whole();
  }

  /** Takes the next bytes like `read`, but piece by piece. */
  async *stream(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.kept.length === 0 && !(await this.more())) return;
      const part = this.drop(Math.min(left, this.kept.length));
      left -= part.length;
      yield part;
    }
  }

  /**
   * Drops the next bytes.
   * @returns how many there were
   */
  async skip(count: number): Promise<number> {
    const before = this.taken;
    for await (const _ of this.stream(count));
    return this.taken - before;
  }

  /** Takes everything up to and including a mark; null where that does not come within `max` bytes. */
  async until(mark: Uint8Array, max: number): Promise<Buffer | null> {
    for (let from = 0; ;) {
      const at = this.kept.indexOf(mark, from);
      if (at !== -1) return this.drop(at + mark.length);
      if (this.kept.length >= max) return null;
      from = Math.max(0, this.kept.length - mark.length + 1);
      if (!(await this.more())) return null;
    }
  }

  /** The bytes that have arrived and were not taken yet; at least one unless the end is reached. */
  async arrived(): Promise<Buffer> {
    if (this.kept.length === 0) await this.more();
    return this.kept;
  }

  drop(count: number): Buffer {
    const part = this.kept.subarray(0, count);
    this.kept = this.kept.subarray(count);
    this.taken += part.length;
    return part;
  }

  /**
   * Waits for the next chunk.
   * @returns false at the end
   */
  async more(): Promise<boolean> {
    if (this.ended) return false;
    const next = await this.source.next();
    if (next.done === true) {
      this.ended = true;
      return false;
    }
    this.kept = this.kept.length === 0 ? Buffer.from(next.value) : Buffer.concat([this.kept, next.value]);
    return true;
  }
}
