import { type TransferList, transferList } from "@web-tester/contracts/entities/transfer";
import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { checkUtf8 } from "./check-utf8.js";

/** One entry of a list in the file. `record` and `line` are 1-based; `value` is any JSON value. */
export interface ReadRecord {
  list: TransferList;
  record: number;
  line: number;
  value: unknown;
}

/**
 * The most values, names and signs inside one record. Those that we export have fewer: a snapshot with all the files that a page may have
 * has 35,000, an object with a thousand routes, each to twenty addresses, some 150,000.
 */
const tokensPerRecordMax = 180_000;
const keyMaxChars = 200;
const lists: ReadonlySet<string> = new Set(transferList.options);

/** How many records of each list earlier parts of the same archive had. */
export type RecordCounts = Map<TransferList, number>;

/**
 * Reads an export file as it arrives; never holds more than one record and one chunk, whatever the size of the file. Top-level keys
 * other than the three lists are skipped.
 * @param chunks the file's bytes, UTF-8, each chunk small compared to a record
 * @param counts records of earlier parts; counting continues from there
 * @throws AppError invalid_json where it is no JSON of this shape; the message names byte and line
 */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  counts: RecordCounts = new Map(),
): AsyncGenerator<ReadRecord> {
  const file = new RecordReader(counts);
  const utf8 = checkUtf8();
  for await (const chunk of chunks) {
    if (!utf8.push(chunk)) throw file.broken("it is not UTF-8 text");
    yield* file.push(chunk);
  }
  if (!utf8.end()) throw file.broken("it is not UTF-8 text");
  file.end();
}

class RecordReader {
  private readonly tokenizer = new Tokenizer({ stringBufferSize: 64 * 1024, numberBufferSize: 64 });
  private readonly parser = new TokenParser({
    paths: transferList.options.map((list) => `$.${list}.*`),
    keepStack: false,
  });
  private readonly seen = new Set<TransferList>();
  private found: ReadRecord[] = [];
  private depth = 0;
  private tokens = 0;
  /** The top-level key that was just read, until its value begins. */
  private key: string | null = null;
  private expectsKey = false;
  private text = "";
  /** The list that is being read. */
  private list: TransferList | null = null;
  /** How many bytes came before the present chunk; below, up to where lines are counted in it. */
  private bytes = 0;
  private chunk: Uint8Array = new Uint8Array();
  private counted = 0;
  private line = 1;
  private recordLine = 1;
  private lastToken = 0;

  constructor(private readonly counts: RecordCounts) {
    this.tokenizer.onToken = (token) => {
      this.look(token.token, token.value, token.offset);
      this.parser.write(token);
    };
    // errors that our own callbacks throw arrive here as well
    const onError = (error: unknown) => {
      throw error instanceof AppError ? error : this.broken(reasonOf(error));
    };
    this.tokenizer.onError = onError;
    this.parser.onError = onError;
    this.parser.onValue = ({ value, stack }) => {
      // the path also matches the value of a list itself where a file has an object in its place, but such files were refused before
      if (this.list === null || stack.length !== 2) return;
      const record = (this.counts.get(this.list) ?? 0) + 1;
      this.counts.set(this.list, record);
      this.tokens = 0;
      this.found.push({ list: this.list, record, line: this.recordLine, value });
    };
  }

  push(chunk: Uint8Array): ReadRecord[] {
    this.chunk = chunk;
    this.counted = 0;
    try {
      this.tokenizer.write(chunk);
    } catch (error) {
      throw error instanceof AppError ? error : this.broken(reasonOf(error));
    }
    this.countLines(chunk.length);
    this.bytes += chunk.length;
    if (this.bytes - this.lastToken > limits.importRecordMaxBytes)
      throw this.broken(`there is nothing to read in ${limits.importRecordMaxBytes / 1024 / 1024} MiB of it`);
    const { found } = this;
    this.found = [];
    return found;
  }

  end(): void {
    this.chunk = new Uint8Array();
    if (!this.tokenizer.isEnded) {
      try {
        this.tokenizer.end();
      } catch {
        // reported below
      }
    }
    if (!this.parser.isEnded) throw this.broken("it ends before it is complete");
    if (this.seen.size === 0)
      throw new AppError(
        "invalid_json",
        `This JSON is no export file: it has none of the lists ${transferList.options.join(", ")}. Choose a file that was made by Export.`,
      );
  }

  broken(why: string): AppError {
    return new AppError(
      "invalid_json",
      `Invalid JSON file: ${why} (near byte ${this.lastToken}, line ${this.lineAt(this.lastToken)}). Nothing was imported.`,
    );
  }

  /** Checks a token before a value is made from it. */
  private look(token: TokenType, value: unknown, offset: number): void {
    this.lastToken = offset;
    if (++this.tokens > tokensPerRecordMax) throw this.broken(`a record has more than ${tokensPerRecordMax} values`);
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.open(token, offset);
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.close();
    else if (token === TokenType.COMMA) this.expectsKey = this.depth === 1;
    else if (token === TokenType.STRING) this.lookAtText(String(value), offset);
    else if (token === TokenType.NUMBER && !Number.isFinite(value)) throw this.broken("a number is too large");
    else if (token !== TokenType.COLON) this.lookAtScalar(offset);
    // JSON.parse makes `__proto__` an own property, other parsers set the prototype; refusing it spares readers the difference
    else if (this.text === "__proto__") throw this.broken("“__proto__” is used as a name");
  }

  private open(token: TokenType, offset: number): void {
    if (this.depth === 0) {
      if (token !== TokenType.LEFT_BRACE) throw this.broken("it must begin with {");
      this.expectsKey = true;
    } else if (this.depth === 1) {
      if (this.key !== null && isList(this.key)) {
        if (token !== TokenType.LEFT_BRACKET) throw this.broken(`${this.key} must be a list`);
        if (this.seen.has(this.key)) throw this.broken(`it has two lists named ${this.key}`);
        this.list = this.key;
        this.seen.add(this.key);
      }
      this.key = null;
    } else if (this.depth === 2 && this.list !== null) {
      this.recordLine = this.lineAt(offset);
    }
    if (++this.depth > limits.importDepthMax)
      throw this.broken(`it is nested deeper than ${limits.importDepthMax} levels`);
  }

  private close(): void {
    this.depth--;
    if (this.depth === 1) this.list = null;
    if (this.depth <= 2) this.tokens = 0;
  }

  private lookAtText(text: string, offset: number): void {
    this.text = text;
    if (this.depth === 1 && this.expectsKey) {
      this.key = text.slice(0, keyMaxChars);
      this.expectsKey = false;
      this.tokens = 0;
    } else {
      this.lookAtScalar(offset);
    }
  }

  private lookAtScalar(offset: number): void {
    if (this.depth === 0) throw this.broken("it must begin with {");
    if (this.depth === 1) {
      if (this.key !== null && isList(this.key)) throw this.broken(`${this.key} must be a list`);
      this.key = null;
    } else if (this.depth === 2 && this.list !== null) {
      this.recordLine = this.lineAt(offset);
    }
  }

  private lineAt(offset: number): number {
    this.countLines(Math.max(0, Math.min(this.chunk.length, offset - this.bytes)));
    return this.line;
  }

  private countLines(end: number): void {
    for (let at = this.counted; at < end;) {
      const next = this.chunk.indexOf(10, at);
      if (next === -1 || next >= end) break;
      this.line++;
      at = next + 1;
    }
    this.counted = Math.max(this.counted, end);
  }
}

function isList(key: string): key is TransferList {
  return lists.has(key);
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : "it cannot be read";
  return /^Unexpected (".*?")/s.exec(text)?.[1] === undefined
    ? "its parts do not fit together"
    : `the character ${JSON.stringify(/^Unexpected "(.*?)"/s.exec(text)?.[1])} is not expected`;
}
