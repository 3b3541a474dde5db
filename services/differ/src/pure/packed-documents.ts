/** The stored bytes of a document and the charset to decode them with. */
export interface Document {
  bytes: Uint8Array;
  charset: string;
}

/** Documents for another thread: transferring one buffer costs less than a copy of each. */
export interface PackedDocuments {
  bytes: ArrayBuffer;
  /** One entry per document; `end` is the offset after its last byte. */
  parts: { end: number; charset: string }[];
}

/**
 * @param documents must not be used afterwards: where their bytes have a buffer of their own, it is freed at once. V8
 * would otherwise collect the whole heap whenever some megabytes of pages have been read.
 * @param room memory that is no longer needed: reused where it is large enough
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

/** Returns the documents again, as views of the one buffer. */
export function unpackDocuments({ bytes, parts }: PackedDocuments): Document[] {
  let start = 0;
  return parts.map(({ end, charset }) => {
    const document = { bytes: Buffer.from(bytes, start, end - start), charset };
    start = end;
    return document;
  });
}
