// @ts-check

/**
 * Shows the progress of something that takes long: one updating line in a terminal, a new line every 5 s elsewhere.
 * @param {string} what
 * @param {() => string | null} [progress] how far it is, in words; null if that is not known
 * @returns {(outcome: string) => void} ends it
 */
export function showWaiting(what, progress = () => null) {
  const startedAt = Date.now();
  const out = process.stderr;
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  out.write(`${what} …${out.isTTY ? "" : "\n"}`);
  const line = () => {
    const far = progress();
    return `${what} … ${far === null ? "" : `${far}, `}${seconds()} s`;
  };
  // pads with spaces, because the previous text may have been longer
  const timer = setInterval(
    () => out.write(out.isTTY ? `\r${line()}\x1b[K` : `${line()}\n`),
    out.isTTY ? 1_000 : 5_000,
  );
  return (outcome) => {
    clearInterval(timer);
    out.write(`${out.isTTY ? "\r" : ""}${what} … ${outcome} (${seconds()} s)${out.isTTY ? "\x1b[K" : ""}\n`);
  };
}
