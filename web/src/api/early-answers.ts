declare global {
  /** Set by public/early.js: requests that were sent before this code was loaded, by address. */
  var earlyAnswers: Map<string, Promise<Response>> | undefined;
  /** Whether the files of the first screen were requested at that time too. */
  var earlyScreen: boolean | undefined;
}

/** Early answers are used only up to this long after the page began to load, in ms; after that requests are sent again. */
const freshForMs = 10_000;

/** Returns the answer to a GET that was sent while the page was loading; each is returned once. */
export function takeEarlyAnswer(url: string): Promise<Response> | undefined {
  const answer = globalThis.earlyAnswers?.get(url);
  globalThis.earlyAnswers?.delete(url);
  return performance.now() < freshForMs ? answer : undefined;
}
