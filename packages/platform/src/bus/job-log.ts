import { randomUUID } from "node:crypto";
import { inEnglish, type JobWords } from "@web-tester/contracts/job-lines";
import { jobLogSubject } from "@web-tester/contracts/messages";
import { jobLine, type JobLine } from "@web-tester/contracts/socket";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { z } from "zod";
import type { Bus } from "./bus.js";
import { placeholder, redactText } from "../log/redact.js";

const streamName = "JOBLOG";

/** Lines of one job that come within this time are sent as one batch. */
const gatherMs = 50;
const linesPerMessageMax = 64;
/** Messages of the history that are read in one batch, beginning at the end. */
const messagesAtOnce = 32;

type JobLog = Pick<Bus, "logLine" | "onLogLine" | "logHistory" | "logStats" | "clearLog"> & {
  /** Sends the lines that still wait for their batch. */
  flushLog(): void;
};

/**
 * Lines of background jobs: kept in a bounded stream, and sent at once to all listeners. They are for people to read; publishing one does
 * not wait for the bus, and may lose the line while the bus is away.
 */
export function createJobLog(connection: NatsConnection, manager: JetStreamManager): JobLog {
  const numbered = numberLines();
  const { say, flushLog } = gatherLines((runId, lines) => {
    if (!connection.isClosed()) connection.publish(`${jobLogSubject.prefix}.${runId}`, JSON.stringify(lines));
  });

  return {
    flushLog,
    logLine(runId, level, said) {
      if (!connection.isClosed()) say(runId, numbered(runId, level, said));
    },
    onLogLine(listener) {
      const subscription = connection.subscribe(jobLogSubject.all, {
        callback: (error, message) => {
          if (error !== null) return;
          for (const line of parseLines(message.data)) listener(line);
        },
      });
      return () => subscription.unsubscribe();
    },
    logHistory: (lines) => readHistory(manager, lines),
    async logStats() {
      const info = await manager.streams.info(streamName);
      return { bytes: info.state.bytes, name: `jetstream/${streamName.toLowerCase()}` };
    },
    async clearLog() {
      await manager.streams.purge(streamName);
    },
  };
}

function numberLines() {
  // in containers every process has the same pid
  const source = randomUUID().slice(0, 8);
  let serial = 0;
  return (jobId: string, level: JobLine["level"], said: string | JobWords): JobLine => ({
    id: `${source}-${++serial}`,
    level,
    message: jobMessage(typeof said === "string" ? said : inEnglish(said)),
    ts: Date.now(),
    jobId,
    _pid: process.pid,
    ...(typeof said === "string" ? {} : { code: said.code, values: withoutSecrets(said.values) }),
  });
}

const withoutSecrets = (values: JobWords["values"]): JobWords["values"] =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? jobMessage(value) : value]),
  );

/** Sends lines of one job that follow each other closely in one batch. */
function gatherLines(send: (runId: string, lines: readonly JobLine[]) => void) {
  /** For each job that sent lines within the last `gatherMs`: the lines that came since. */
  const open = new Map<string, { lines: JobLine[]; timer: NodeJS.Timeout }>();

  /** The first line goes out at once, so that the line of the process that starts a job comes before the lines of the worker that handles it. */
  function say(runId: string, line: JobLine): void {
    const gathering = open.get(runId);
    if (gathering === undefined) {
      send(runId, [line]);
      gather(runId);
      return;
    }
    gathering.lines.push(line);
    if (gathering.lines.length >= linesPerMessageMax) flush(runId);
  }

  function gather(runId: string): void {
    open.set(runId, { lines: [], timer: setTimeout(() => flush(runId), gatherMs) });
  }

  function flush(runId: string): void {
    const { lines = [], timer } = open.get(runId) ?? {};
    clearTimeout(timer);
    open.delete(runId);
    if (lines.length === 0) return;
    send(runId, lines);
    gather(runId);
  }

  function flushLog(): void {
    for (const runId of [...open.keys()]) flush(runId);
    for (const { timer } of open.values()) clearTimeout(timer);
    open.clear();
  }

  return { say, flushLog };
}

/** @returns the newest lines, oldest first */
async function readHistory(manager: JetStreamManager, lines: number): Promise<JobLine[]> {
  const info = await manager.streams.info(streamName);
  const { messages, first_seq: first, last_seq: last } = info.state;
  if (messages === 0) return [];
  let found: JobLine[] = [];
  for (let end = last + 1; end > first && found.length < lines;) {
    const start = Math.max(first, end - messagesAtOnce);
    const part: JobLine[] = [];
    const batch = await manager.direct.getBatch(streamName, { seq: start, batch: end - start });
    // where messages were removed, the batch reaches beyond its part
    for await (const message of batch) if (message.seq < end) part.push(...parseLines(message.data));
    found = [...part, ...found];
    end = start;
  }
  return found.slice(-lines);
}

/** Earlier versions stored one line by itself. */
const stored = z.union([z.array(jobLine), jobLine.transform((line) => [line])]);

function parseLines(data: Uint8Array): JobLine[] {
  try {
    return stored.parse(JSON.parse(new TextDecoder().decode(data)));
  } catch {
    return [];
  }
}

/** Longer messages are cut and end in "…". */
const messageMaxChars = 2_000;

/** Parameters of an address whose value grants access: `?access_token=…`, `;jsessionid=…`, `&X-Amz-Signature=…`. */
const tellingParameter =
  /([?&;#](?:[\w.-]{0,64}(?:token|secret|passw(?:or)?d|passphrase|signature|credential|session_?id|api[-_]?key|access[-_]?key)|auth|authorization|code|jwt|key|pwd|sid|sig)=)[^&#;\s"'<>)]*[^&#;\s"'<>):.,]/gi;

/** The message of a job without secrets: credentials in addresses and headers are replaced, line breaks become spaces, and long text is cut. Idempotent. */
export function jobMessage(message: string): string {
  const oneLine = message.slice(0, 2 * messageMaxChars).replace(/[\r\n\u2028\u2029]+/g, " ");
  const safe = redactText(oneLine).replace(tellingParameter, `$1${placeholder}`);
  return safe.length <= messageMaxChars ? safe : `${safe.slice(0, messageMaxChars - 1)}…`;
}
