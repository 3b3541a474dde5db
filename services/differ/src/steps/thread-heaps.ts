import { setFlagsFromString } from "node:v8";

/**
 * Makes the heaps of threads that are started from now on begin small and keep to their own limits. The flags that the
 * differ is started with apply to every heap of the process: they suit the main thread, which handles bytes that V8 counts
 * but does not keep, but let garbage accumulate in each of the other threads. The main thread's heap exists already and
 * keeps its size. The growth of a heap between two collections is no such flag: all heaps read it at each collection (with
 * 200 instead of 40 percent a release took 2 % less CPU and 50 MB more memory).
 */
export function leaveHeapsToLimits(): void {
  setFlagsFromString("--initial-heap-size=24");
  setFlagsFromString("--max-semi-space-size=0");
}
