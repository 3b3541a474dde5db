import { randomUUID } from "node:crypto";
import { jobLogSubject } from "@web-tester/contracts/messages";
import { jobLine, type JobLine } from "@web-tester/contracts/socket";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Bus } from "./bus.js";
import { jobMessage } from "./job-message.js";

const streamName = "JOBLOG";

type JobLog = Pick<Bus, "logLine" | "onLogLine" | "logHistory" | "logStats" | "clearLog">;

/**
 * Lines of background jobs: appended to a bounded stream and heard live by whoever listens. Lines are a service to
 * people, not the truth: publishing waits for nothing and may lose a line when the bus is away.
 */
export function createJobLog(connection: NatsConnection, manager: JetStreamManager): JobLog {
  // in containers every process has the same pid
  const source = randomUUID().slice(0, 8);
  let serial = 0;
  return {
    logLine(runId, level, message) {
      if (connection.isClosed()) return;
      const line: JobLine = {
        id: `${source}-${++serial}`,
        level,
        message: jobMessage(message),
        ts: Date.now(),
        jobId: runId,
        _pid: process.pid,
      };
      connection.publish(`${jobLogSubject.prefix}.${runId}`, JSON.stringify(line));
    },
    onLogLine(listener) {
      const subscription = connection.subscribe(jobLogSubject.all, {
        callback: (error, message) => {
          if (error !== null) return;
          const parsed = parseLine(message.data);
          if (parsed !== null) listener(parsed);
        },
      });
      return () => subscription.unsubscribe();
    },
    async logHistory(lines) {
      const info = await manager.streams.info(streamName);
      if (info.state.messages === 0) return [];
      const found: JobLine[] = [];
      const start = Math.max(info.state.first_seq, info.state.last_seq - lines + 1);
      const batch = await manager.direct.getBatch(streamName, { seq: start, batch: lines });
      for await (const stored of batch) {
        const parsed = parseLine(stored.data);
        if (parsed !== null) found.push(parsed);
      }
      return found;
    },
    async logStats() {
      const info = await manager.streams.info(streamName);
      return { bytes: info.state.bytes, name: `jetstream/${streamName.toLowerCase()}` };
    },
    async clearLog() {
      await manager.streams.purge(streamName);
    },
  };
}

function parseLine(data: Uint8Array): JobLine | null {
  try {
    const parsed = jobLine.safeParse(JSON.parse(new TextDecoder().decode(data)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
