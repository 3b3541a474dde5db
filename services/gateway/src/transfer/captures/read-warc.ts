import type { ChunkReader } from "./chunk-reader.js";

/** The parts of a WARC record (ISO 28500:2017) that an import needs. */
export interface WarcEntry {
  type: string;
  /** By lower-case name; of a field that comes twice, the last one. */
  fields: ReadonlyMap<string, string>;
  /** Null where it is longer than the limit, or where the record's type is not needed; of a request the beginning. */
  block: Buffer | null;
  /** Length of the block in bytes. */
  length: number;
}

/** Thrown where a file stops being a WARC; the records before that are valid. */
export class BrokenWarc extends Error {}

const headerMaxBytes = 64 * 1024;
const headerEnd = Buffer.from("\r\n\r\n");
const readTypes: ReadonlySet<string> = new Set(["response", "resource", "revisit"]);
/** Of a request only its method is needed. */
const requestMaxBytes = 64;

/**
 * Reads a WARC file as it arrives; never holds more than one header and one block of at most `blockMaxBytes`.
 * @throws BrokenWarc where it is damaged or ends in the middle of a record
 */
export async function* readWarc(file: ChunkReader, blockMaxBytes: number): AsyncGenerator<WarcEntry> {
  for (;;) {
    await skipLineEnds(file);
    const start = await file.peek(5);
    if (start.length === 0) return;
    if (start.toString("latin1") !== "WARC/") throw new BrokenWarc(`at byte ${file.offset} no record begins`);
    const at = file.offset;
    const head = await file.until(headerEnd, headerMaxBytes);
    if (head === null) {
      const isShort = (await file.peek(headerMaxBytes)).length < headerMaxBytes;
      throw new BrokenWarc(
        isShort ? `it ends within the header at byte ${at}` : `the header of the record at byte ${at} has no end`,
      );
    }
    const fields = readFields(head.toString("utf8"));
    const length = lengthOf(fields);
    if (length === null) throw new BrokenWarc(`the record at byte ${at} does not say how long it is`);
    const type = (fields.get("warc-type") ?? "").toLowerCase();
    const wanted = type === "request" ? Math.min(length, requestMaxBytes) : length;
    const isWanted = type === "request" || (readTypes.has(type) && length <= blockMaxBytes);
    const block = isWanted ? await file.read(wanted) : null;
    const got = (block?.length ?? 0) + (await file.skip(length - (block?.length ?? 0)));
    if (got < length) throw new BrokenWarc(`it ends within the record at byte ${at}`);
    yield { type, fields, block, length };
  }
}

async function skipLineEnds(file: ChunkReader): Promise<void> {
  for (;;) {
    const there = await file.arrived();
    const lineEnds = there.findIndex((byte) => byte !== 0x0d && byte !== 0x0a);
    if (lineEnds !== -1 || there.length === 0) {
      file.drop(Math.max(0, lineEnds));
      return;
    }
    file.drop(there.length);
  }
}

/** Parses the fields of a header by lower-case name; a line that begins with a space continues the line before. */
function readFields(head: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return fields;
}

function lengthOf(fields: ReadonlyMap<string, string>): number | null {
  const text = fields.get("content-length") ?? "";
  return /^\d{1,13}$/.test(text) ? Number(text) : null;
}
