import type { WarcEntry } from "./read-warc.js";

/**
 * Passes on the records of a WARC file without requests, and without the answers to requests other than GET: what a form was answered
 * with is no version of the page at its address. A request stands directly before its answer (Wget) or behind it (all others), and one of
 * both names the other (ISO 28500 §5.8), so that one answer waits for the next record.
 * @param whenOther is told each answer that is left out
 */
export async function* answersToGet(
  entries: AsyncIterable<WarcEntry>,
  whenOther: (answer: WarcEntry, method: string) => void,
): AsyncGenerator<WarcEntry> {
  let request: WarcEntry | null = null;
  let waiting: WarcEntry | null = null;
  try {
    for await (const entry of entries) {
      if (entry.type === "request") {
        request = entry;
        if (waiting === null || !areOne(entry, waiting)) continue;
        const method = methodOf(entry);
        if (method === null) yield waiting;
        else whenOther(waiting, method);
        waiting = null;
      } else if (isAnswer(entry)) {
        if (waiting !== null) yield waiting;
        waiting = null;
        const method = request !== null && areOne(request, entry) ? methodOf(request) : null;
        if (method === null) waiting = entry;
        else whenOther(entry, method);
      }
    }
  } catch (error) {
    // the file ends in the middle of the next record
    if (waiting !== null) yield waiting;
    throw error;
  }
  if (waiting !== null) yield waiting;
}

function isAnswer({ type }: WarcEntry): boolean {
  return type === "response" || type === "revisit" || type === "resource";
}

/** Whether a request and an answer belong together: one names the other. */
function areOne(request: WarcEntry, answer: WarcEntry): boolean {
  return names(request, answer) || names(answer, request);
}

function names(one: WarcEntry, other: WarcEntry): boolean {
  const id = other.fields.get("warc-record-id");
  return id !== undefined && id !== "" && one.fields.get("warc-concurrent-to") === id;
}

/** The method of a request; null for GET, and where it cannot be read. */
function methodOf({ block }: WarcEntry): string | null {
  const method = /^([A-Z]{3,20}) /.exec(block?.toString("latin1") ?? "")?.[1] ?? "GET";
  return method === "GET" ? null : method;
}
