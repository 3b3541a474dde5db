// @ts-check

/**
 * Shows that something long is going on: a line that counts seconds in a terminal, a new line every 15 s elsewhere.
 * @param {string} what
 * @returns {(outcome: string) => void} ends it
 */
export function showWaiting(what) {
  const startedAt = Date.now();
  const out = process.stderr;
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  out.write(`${what} …${out.isTTY ? "" : "\n"}`);
  const timer = setInterval(
    () => out.write(out.isTTY ? `\r${what} … ${seconds()} s` : `${what} … ${seconds()} s\n`),
    out.isTTY ? 1_000 : 15_000,
  );
  return (outcome) => {
    clearInterval(timer);
    out.write(`${out.isTTY ? "\r" : ""}${what} … ${outcome} (${seconds()} s)\n`);
  };
}
