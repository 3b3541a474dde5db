// @ts-check

/**
 * How streams are joined: an error that nobody listens to ends the process, so every stream needs a listener. `through` of
 * packages/platform/src/lifecycle/streams.ts pipes one stream into another, and the gateway's `Sender` pipes one into a response.
 */

/** Files that join streams by hand, each with the reason why no error goes unheard. */
/** @type {Record<string, string>} */
export const joinedByHand = {
  "packages/platform/src/lifecycle/streams.ts": "the one that all others use",
  "packages/platform/src/egress/proxy-listener.ts":
    "both sockets of a tunnel have listeners, and each ends with the other",
  "services/backup/src/row-files.ts": "a program of its own, which ends with its first error",
  "services/crawler/src/pure/sitemap.ts": "pure, so it knows no package; errors of the source are handed on",
  "services/gateway/src/transfer/read-archive.ts": "the error is kept by the callback for who reads the entries",
};

/** Files that write a response in parts themselves, each with the reason. */
/** @type {Record<string, string>} */
export const writtenByHand = {
  "services/gateway/src/http/sender.ts": "the one that all others use",
  "services/gateway/src/search/search.controller.ts": "short lines, none of them once the reader has left",
};

/**
 * Finds what a file of a service or a package does with streams that it must not do.
 * @param {string} file its path below the checkout
 * @param {string} text
 * @returns {string[]} one sentence for each fault
 */
export function streamFaults(file, text) {
  const faults = [];
  if (!(file in joinedByHand)) {
    // zod has a method `pipe`, too
    const pipes = [...text.matchAll(/\.pipe\(\s*(?!z\.)/g)];
    if (pipes.length > 0)
      faults.push(`${file}: .pipe() hands no error on; use through() of packages/platform/src/lifecycle/streams.ts.`);
    if (/import[^;]*\b(?:pipeline|compose)\b[^;]*from "(?:node:)?stream"/.test(text))
      faults.push(`${file}: use through() of packages/platform/src/lifecycle/streams.ts instead of pipeline().`);
    for (const [call] of text.matchAll(/(?:\w+\s+)?(?:=\s*)?\bpipeline\([^;]*;/g))
      if (!/^await\s/.test(call) && !/\)\s*\.catch\(/.test(call))
        faults.push(`${file}: nobody waits for this pipeline(), and so nobody hears of its error.`);
  }
  if (
    file.startsWith("services/gateway/src/") &&
    !(file in writtenByHand) &&
    (/\bres(?:ponse)?\.write\(/.test(text) || /StreamableFile/.test(text))
  )
    faults.push(`${file}: answers in parts are sent by the Sender (services/gateway/src/http/sender.ts).`);
  return faults;
}
