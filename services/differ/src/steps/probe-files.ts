import { AppError } from "@web-tester/contracts/errors";
import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { NoiseFile } from "@web-tester/records/runs/noise-run";
import type { FileHashes } from "@web-tester/signal/learn/file-rules";
import { randomUUID } from "node:crypto";

const atOnce = 4;

/** Loads files again and returns their present hashes. */
export async function probeFiles(
  bus: Pick<Bus, "ask">,
  files: readonly NoiseFile[],
  signal: AbortSignal,
): Promise<FileHashes> {
  const { subject, timeoutMs, reply } = questions.probeFile;
  const round = randomUUID();
  const hashes = new Map<string, string>();
  const waiting = files.values();
  const work = async () => {
    for (const { url, instanceId } of waiting) {
      if (signal.aborted) return;
      try {
        const { sha256 } = reply.parse(await bus.ask(subject, { instanceId, url, round }, timeoutMs));
        if (sha256 !== null) hashes.set(url, sha256);
      } catch (error) {
        // a fetcher of an earlier release does not know the question
        if (!(error instanceof AppError)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return hashes;
}
