import type { TransferCounts } from "@web-tester/contracts/entities/transfer";
import { TokenParser, Tokenizer } from "@streamparser/json";

const lists = { testObjects: "objects", testInstances: "instances", testSnapshots: "snapshots" } as const;

/** The message for every file that is not JSON, or JSON of another kind. Source: specification §5. */
export const invalidFile = "Invalid JSON file.";

/**
 * Counts the records of an export file without keeping any.
 * @param chunks its bytes
 * @param onBytes is called with the bytes read so far
 * @throws Error with the words of the specification
 */
export async function countRecords(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<TransferCounts> {
  const counts = { objects: 0, instances: 0, snapshots: 0 };
  const found = new Set<string>();
  const tokenizer = new Tokenizer({ stringBufferSize: 64 * 1024 });
  const parser = new TokenParser({
    paths: Object.keys(lists).flatMap((list) => [`$.${list}`, `$.${list}.*`]),
    keepStack: false,
  });
  tokenizer.onToken = (token) => parser.write(token);
  parser.onValue = ({ key, value, stack, parent }) => {
    if (stack.length === 1) {
      if (!Array.isArray(value)) throw new Error(invalidFile);
      found.add(String(key));
      return;
    }
    const list = stack[1]?.key;
    if (Array.isArray(parent) && isList(list)) {
      counts[lists[list]]++;
      // the parser also watches the list itself, and so would keep all of it in memory
      parent.length = 0;
    }
  };
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      tokenizer.write(chunk);
      bytes += chunk.length;
      onBytes(bytes);
    }
    if (!tokenizer.isEnded) tokenizer.end();
  } catch {
    throw new Error(invalidFile);
  }
  if (!parser.isEnded || found.size === 0) throw new Error(invalidFile);
  return counts;
}

function isList(key: unknown): key is keyof typeof lists {
  return typeof key === "string" && Object.hasOwn(lists, key);
}
