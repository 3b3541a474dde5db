const idBytes = 16;

/**
 * A compact list of UUIDs, at 16 bytes each: an export remembers every instance that it wrote, so that no snapshot is written without
 * its instance.
 */
export class IdList {
  private bytes: Buffer = Buffer.alloc(64 * 1024);
  private used = 0;

  push(id: string): void {
    if (this.used === this.bytes.length) this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length)]);
    this.bytes.write(id.replaceAll("-", ""), this.used, "hex");
    this.used += idBytes;
  }

  /** Yields the ids in the order in which they were pushed, at most `size` at a time. */
  *batches(size: number): Generator<string[]> {
    for (let start = 0; start < this.used; start += size * idBytes) {
      const ids: string[] = [];
      for (let at = start; at < Math.min(this.used, start + size * idBytes); at += idBytes) {
        const hex = this.bytes.toString("hex", at, at + idBytes);
        ids.push(`${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`);
      }
      yield ids;
    }
  }
}
