#!/usr/bin/env node
import { createProgram, exitCodes } from "./program.js";

let isUnwritten = false;
// on a write error Node would exit with 1, which here means that something differs
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // the reader of the pipe has read enough
    if (error.code === "EPIPE") return;
    isUnwritten = true;
    process.exitCode = exitCodes.cannotRun;
    if (stream === process.stdout) process.stderr.write(`The answer cannot be written: ${error.message}\n`);
  });

/** How long the event loop may go on after the program was interrupted and has ended. */
const lingersMs = 2_000;
let interruptedBy: NodeJS.Signals | null = null;

const code = await createProgram({
  env: process.env,
  out: process.stdout,
  progress: process.stderr,
  onInterrupt: (stop) => {
    for (const name of ["SIGINT", "SIGTERM"] as const)
      process.once(name, (signal) => {
        interruptedBy = signal;
        stop();
      });
  },
})(process.argv);
process.exitCode = isUnwritten ? exitCodes.cannotRun : code;
// a file that hangs (a pipe without a reader, a lost network drive) holds even process.exit() up; the signal itself, which nobody catches any more, does not wait
if (interruptedBy !== null) {
  const signal: NodeJS.Signals = interruptedBy;
  setTimeout(() => process.kill(process.pid, signal), lingersMs).unref();
}
