import { setFlagsFromString } from "node:v8";

/**
 * Has the heaps of threads that are started from now on begin small, and keep to their own limits. The flags that the differ is started with hold for
 * every heap of the process, and what suits the main thread, which handles bytes that V8 counts and does not keep, lets garbage lie about in each of the
 * others. The main thread's heap was made before, and keeps its size. By how much a heap grows before it is looked through is no such flag: all heaps
 * read it at each collection (with 200 instead of 40 percent a release took 2 % less CPU and 50 MB more memory).
 */
export function leaveHeapsToLimits(): void {
  setFlagsFromString("--initial-heap-size=24");
  setFlagsFromString("--max-semi-space-size=0");
}
