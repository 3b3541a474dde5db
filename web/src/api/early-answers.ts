declare global {
  /** Made by public/early.js: answers on their way since before this code was here, by address. */
  var earlyAnswers: Map<string, Promise<Response>> | undefined;
  /** Whether the files of the first screen are on their way since then, too. */
  var earlyScreen: boolean | undefined;
}

/** An answer that was asked for so long ago, in ms after the page began, is asked for anew. */
const freshForMs = 10_000;

/** The answer to a GET that was asked for while the page was loading; each is handed out once. */
export function takeEarlyAnswer(url: string): Promise<Response> | undefined {
  const answer = globalThis.earlyAnswers?.get(url);
  globalThis.earlyAnswers?.delete(url);
  return performance.now() < freshForMs ? answer : undefined;
}
