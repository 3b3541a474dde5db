import { setFlagsFromString } from "node:v8";

/**
 * Has the heaps of threads that are started from now on begin small, and keep to their own limits. The flags that the differ is started
 * with hold for every heap of the process: what suits the main thread, which handles bytes that V8 counts and does not keep, lets garbage
 * lie about in each of the others. The main thread's heap was made before, and is not changed.
 */
export function leaveHeapsToLimits(): void {
  setFlagsFromString("--initial-heap-size=24");
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--max-semi-space-size=0");
}
