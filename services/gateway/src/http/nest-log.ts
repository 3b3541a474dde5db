import type { LoggerService } from "@nestjs/common";
import type { Logger } from "@web-tester/platform/log/logger";

/** Writes Nest's own lines to the product's log; what it says while starting goes to the debug level only. */
export function nestLog(log: Logger): LoggerService {
  const fields = (context: readonly unknown[]) => ({
    nest: context.filter((part) => typeof part === "string").join(" "),
  });
  return {
    log: (message: unknown, ...context: unknown[]) => log.debug(fields(context), String(message)),
    warn: (message: unknown, ...context: unknown[]) => log.warn(fields(context), String(message)),
    error: (message: unknown, ...context: unknown[]) =>
      log.error({ ...fields(context), ...(message instanceof Error ? { err: message } : {}) }, String(message)),
    fatal: (message: unknown, ...context: unknown[]) => log.fatal(fields(context), String(message)),
    debug: (message: unknown, ...context: unknown[]) => log.trace(fields(context), String(message)),
    verbose: (message: unknown, ...context: unknown[]) => log.trace(fields(context), String(message)),
  };
}
