import { AppError } from "@web-tester/contracts/errors";
import { type Config, loadConfig } from "../config/config.js";
import { withSecretFiles } from "../secrets/secret-files.js";
import { createLogger, type Logger } from "../log/logger.js";

/** What a started service returns to its runtime. `stop` finishes the work in progress, or gives it back, and closes connections. */
export interface RunningService {
  stop?(): Promise<void>;
}

/** Orchestrators kill a process 30 s after asking it to stop; this leaves time for the last log lines. */
const stopGraceMs = 25_000;

/**
 * Runs a service as this process: reads the configuration, starts it, and ends the process on SIGTERM, SIGINT, or, in embedded mode, when
 * the parent process that holds the other end of the IPC channel is gone. Exit codes: 0 stopped as asked; 1 faulty configuration (one line
 * on standard error), failed start, unhandled error, or a stop longer than 25 s. An unhandled error that only means that a peer closed its
 * connection is logged and survived: otherwise any peer could end the service.
 * @param start resolves when the service is ready; `signal` aborts when it has to end, even while it is still starting
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

  // Without this timer the process would end by itself while all of its connections are broken.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    const running = await start(config, log, ending.signal);
    log.info("Started");
    await aborted(ending.signal);
    await running.stop?.();
  } catch (error) {
    // A start that was cancelled by the stop ends with exit code 0.
    if (!ending.signal.aborted || ending.signal.reason !== error)
      fail(log, ending.signal.aborted ? "did not stop cleanly" : "could not start", error);
  }
  clearInterval(alive);
  log.info("Stopped");
  process.exit(0);
}

/** Aborts `ending` when the process is first told to end, and exits by force when stopping takes too long. */
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

/** Codes of stream and socket errors whose other end is gone; they leave nothing half done except that connection. */
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
