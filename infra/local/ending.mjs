// @ts-check

/**
 * An AbortSignal that aborts when a command has to end: on Ctrl-C, SIGTERM, a closed terminal, or the end of the process that started it.
 * @returns {AbortSignal}
 */
export function endingSignal() {
  const ending = new AbortController();
  const end = () => ending.abort();
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(name, end);
  if (process.send !== undefined) process.on("disconnect", end);
  return ending.signal;
}
