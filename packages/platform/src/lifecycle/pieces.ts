/** So many pieces at most are kept as they came: each is an object of a hundred bytes, and holds all that arrived with it. */
const asTheyCameMax = 1_024;

/**
 * Bytes that come piece by piece. They are copied together now and then, so that who sends each byte by itself
 * cannot make a body take a hundred times its length.
 */
export class Pieces {
  size = 0;
  private readonly joined: Buffer[] = [];
  private recent: Buffer[] = [];
  private recentBytes = 0;

  /** How many buffers are kept. */
  get held(): number {
    return this.joined.length + this.recent.length;
  }

  add(piece: Buffer): void {
    this.size += piece.length;
    this.recentBytes += piece.length;
    this.recent.push(piece);
    if (this.recent.length < asTheyCameMax) return;
    this.joined.push(Buffer.concat(this.recent, this.recentBytes));
    this.recent = [];
    this.recentBytes = 0;
  }

  /** All bytes in their order; a single piece is given as it came. */
  whole(): Buffer {
    const [only, ...others] = [...this.joined, ...this.recent];
    return only === undefined || others.length > 0 ? Buffer.concat([...this.joined, ...this.recent], this.size) : only;
  }
}
