import { AppError } from "@web-tester/contracts/errors";
import { type Config, loadConfig } from "../config/config.js";
import { withSecretFiles } from "../secrets/secret-files.js";
import { createLogger, type Logger } from "../log/logger.js";

/**
 * What a started service returns to its runtime. `stop` finishes the work under way, or gives it back, and closes
 * connections.
 */
export interface RunningService {
  stop?(): Promise<void>;
}

/** Orchestrators kill after 30 s; this leaves time for the last log lines. */
const stopGraceMs = 25_000;

/**
 * Runs a service as this process: reads the configuration, starts it, and ends the process when it is told to (SIGTERM, SIGINT, or in
 * embedded mode when the parent that holds the other end of the IPC channel is gone). Exit codes: 0 stopped as asked; 1 faulty
 * configuration (one line on standard error), failed start, unhandled error, or a stop longer than 25 s. An unhandled error that says no more
 * than that the other side of a connection left is logged and survived: whoever can leave could end the service otherwise.
 * @param start resolves when the service is ready; `signal` aborts when it shall end, also while it is still starting
 */
export async function runService(
  name: string,
  start: (config: Config, log: Logger, signal: AbortSignal) => Promise<RunningService>,
): Promise<void> {
  const config = readConfig(name);
  const log = createLogger(name, config.logLevel);
  const ending = new AbortController();
  endWhenTold(name, config, log, ending);
  surviveLeavers(log);

  // Without it a process whose connections are all broken at the moment would simply end.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    const running = await start(config, log, ending.signal);
    log.info("Started");
    await aborted(ending.signal);
    await running.stop?.();
  } catch (error) {
    // A start that was cancelled ends with exit code 0, as asked.
    if (!ending.signal.aborted || ending.signal.reason !== error)
      fail(log, ending.signal.aborted ? "did not stop cleanly" : "could not start", error);
  }
  clearInterval(alive);
  log.info("Stopped");
  process.exit(0);
}

/** Aborts `ending` at the first signal that the process shall end, and ends it by force where that takes too long. */
function endWhenTold(name: string, config: Config, log: Logger, ending: AbortController): void {
  const end = (reason: string) => {
    // Ctrl-C reaches a child twice: from the terminal and from its parent.
    if (ending.signal.aborted) return;
    log.info({ reason }, "Stopping");
    ending.abort(new AppError("cancelled", `The service ${name} is stopping: ${reason}.`));
    setTimeout(() => fail(log, `did not stop within ${stopGraceMs / 1000} s`), stopGraceMs);
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  if (config.mode === "embedded" && process.send !== undefined) {
    process.once("disconnect", () => end("the parent process is gone"));
  }
}

function surviveLeavers(log: Logger): void {
  const unhandled = (error: unknown) => {
    if (saysThatPeerLeft(error)) log.error({ err: error }, "Somebody left a connection, and nothing handled it");
    else fail(log, "met an error that nothing handled", error);
  };
  process.on("unhandledRejection", unhandled);
  process.on("uncaughtException", unhandled);
}

function readConfig(name: string): Config {
  try {
    return loadConfig(withSecretFiles(process.env));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exit(1);
  }
}

function fail(log: Logger, what: string, err?: unknown): never {
  log.fatal({ err }, `The service ${what}; exiting`);
  process.exit(1);
}

/** Errors of streams and sockets whose other end is gone; they leave nothing half done but that connection. */
const leftCodes: ReadonlySet<unknown> = new Set([
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
  "ECONNRESET",
  "EPIPE",
]);

function saysThatPeerLeft(error: unknown): boolean {
  return error instanceof Error && "code" in error && leftCodes.has(error.code);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
