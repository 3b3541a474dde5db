import { type DestinationStream, type Level, type Logger as PinoLogger, pino, stdSerializers } from "pino";
import { redactText, redactValue } from "./redact.js";

/** A logger that writes one JSON object per line. First argument of its methods: fields; second: a sentence. Errors go into the field `err`. */
export type Logger = PinoLogger;

/** The most bytes of lines that wait while nothing can be written, as on a full disk; further lines are dropped. */
const waitingMaxBytes = 1024 * 1024;

/**
 * Creates a logger that writes JSON lines to standard output at once, so that nothing is lost when the process ends. Values of fields whose
 * names suggest secrets, and user names and passwords inside addresses, are replaced before they are written.
 * @param service becomes the field `service`
 * @param destination where lines go instead of standard output
 */
export function createLogger(service: string, level: Level | "silent", destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(fields),
      },
      // Errors are already plain objects when serializers run, see redactValue.
      serializers: { err: (value: unknown) => value },
      hooks: { streamWrite: redactText },
    },
    destination ?? standardOutput(),
  );
}

/**
 * Standard output as a destination. A log that cannot be written must not stop the process: its lines wait, and are written with the next
 * line that succeeds.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: waitingMaxBytes });
  output.on("error", () => undefined);
  // only `write`: pino would call `flush` after a fatal line, which retries until there is room
  return { write: (line) => void output.write(line) };
}

function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  // A bare error as first argument arrives as { err }.
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, redactValue(name, value, stdSerializers.err)]),
  );
}
