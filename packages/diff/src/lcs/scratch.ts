/** Larger buffers are not kept, but left to the garbage collector. */
const KEPT = 1 << 18;

/**
 * A reusable buffer, for work that neither nests nor outlives the call: allocating typed arrays for thousands of small
 * regions costs more than comparing them.
 */
export class Scratch {
  private buffer = new Int32Array(64);

  /** Returns at least `size` entries with undefined content. What was taken before may change. */
  take(size: number): Int32Array {
    if (size > KEPT) return new Int32Array(size);
    if (size > this.buffer.length) this.buffer = new Int32Array(Math.min(KEPT, size * 2));
    return this.buffer;
  }

  /** Returns at least `size` entries, the first `size` of them zero. */
  zeros(size: number): Int32Array {
    const buffer = this.take(size);
    buffer.fill(0, 0, size);
    return buffer;
  }
}
