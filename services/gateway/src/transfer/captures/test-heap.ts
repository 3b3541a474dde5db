import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** The MiB of texts and objects in use, after everything that nothing refers to any more is gone. */
export function heapMiB(): number {
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}
