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

const code = await createProgram({
  env: process.env,
  out: process.stdout,
  progress: process.stderr,
  onInterrupt: (stop) => {
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  },
})(process.argv);
process.exitCode = isUnwritten ? exitCodes.cannotRun : code;
