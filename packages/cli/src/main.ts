#!/usr/bin/env node
import { createProgram } from "./program.js";

process.exitCode = await createProgram({
  env: process.env,
  out: process.stdout,
  progress: process.stderr,
  onInterrupt: (stop) => {
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  },
})(process.argv);
