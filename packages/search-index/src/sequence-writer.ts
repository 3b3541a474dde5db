/** Encodes which chunks documents consist of (`sequences` of a section): chunk after chunk, document after document. */
export class SequenceWriter {
  documents = 0;
  private readonly written = new ByteList();
  /** The runs of the document that is being written, each as its first chunk and the one after its last; without the last run. */
  private runs: number[] = [];
  private runStart = -1;
  private runEnd = -1;

  /** @param chunk the next one of the document */
  take(chunk: number): void {
    if (chunk === this.runEnd) {
      this.runEnd += 1;
      return;
    }
    if (this.runStart !== -1) this.runs.push(this.runStart, this.runEnd);
    this.runStart = chunk;
    this.runEnd = chunk + 1;
  }

  endDocument(): void {
    const { runs, written } = this;
    if (this.runStart !== -1) runs.push(this.runStart, this.runEnd);
    written.varint(runs.length / 2);
    let previous = 0;
    for (let run = 0; run < runs.length; run += 2) {
      const start = runs[run] ?? 0;
      const end = runs[run + 1] ?? 0;
      const distance = start - previous;
      written.varint(distance >= 0 ? distance * 2 : -distance * 2 - 1);
      written.varint(end - start);
      previous = end;
    }
    this.documents += 1;
    this.runs = [];
    this.runStart = -1;
    this.runEnd = -1;
  }

  bytes(): Uint8Array {
    return this.written.bytes();
  }
}

/** A growing list of bytes that numbers are appended to. */
class ByteList {
  private list = new Uint8Array(1 << 12);
  private length = 0;

  /** @param value not negative, below 2^31 */
  varint(value: number): void {
    if (this.length + 5 > this.list.length) {
      const larger = new Uint8Array(this.list.length * 2);
      larger.set(this.list);
      this.list = larger;
    }
    let rest = value;
    while (rest > 0x7f) {
      this.list[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.list[this.length++] = rest;
  }

  bytes(): Uint8Array {
    return this.list.subarray(0, this.length);
  }
}
