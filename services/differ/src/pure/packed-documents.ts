/** Stored bytes of a document and the charset to read them in. */
export interface Document {
  bytes: Uint8Array;
  charset: string;
}

/** Documents on their way to another thread: one buffer that changes hands costs less than a copy of each. */
export interface PackedDocuments {
  bytes: ArrayBuffer;
  /** In the order of the documents; `end`: offset after the last byte of each. */
  parts: { end: number; charset: string }[];
}

/**
 * @param documents are given away: where their bytes have memory of their own, it is free at once. V8 would look through the whole heap for it
 *   whenever some megabytes of pages have been read.
 * @param room memory that nobody needs any more: taken where it is large enough
 */
export function packDocuments(documents: readonly Document[], room: ArrayBuffer | null = null): PackedDocuments {
  const size = documents.reduce((sum, { bytes: { length } }) => sum + length, 0);
  const bytes = new Uint8Array(room === null || room.byteLength < size ? new ArrayBuffer(size) : room);
  let end = 0;
  const parts = documents.map((document) => {
    bytes.set(document.bytes, end);
    end += document.bytes.length;
    giveBack(document.bytes);
    return { end, charset: document.charset };
  });
  return { bytes: bytes.buffer, parts };
}

function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** The documents again, as views of the one buffer. */
export function unpackDocuments({ bytes, parts }: PackedDocuments): Document[] {
  let start = 0;
  return parts.map(({ end, charset }) => {
    const document = { bytes: Buffer.from(bytes, start, end - start), charset };
    start = end;
    return document;
  });
}
