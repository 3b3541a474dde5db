// @ts-check
/** Command: builds what has changed and runs the product in the foreground until Ctrl-C, SIGTERM or the end of its parent. Needs Node 24. */
import { onParentGone } from "./bootstrap/node24.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { startStack } from "./stack.mjs";
import { isLoopback } from "./stack/settings.mjs";
import { StartError, wordsOf } from "./stack/start-error.mjs";

/** One Ctrl-C reaches us several times (from the terminal and through npm): signals this soon after the first, in ms, count as the same. */
const sameKeyMs = 700;

const abort = new AbortController();
/** @type {import("./stack.mjs").Stack | undefined} */
let stack;
let firstAskedAt = 0;

/** @param {string} why */
function end(why) {
  if (firstAskedAt !== 0) {
    if (performance.now() - firstAskedAt < sameKeyMs) return;
    say("Stopping at once.");
    stack?.kill();
    process.exit(1);
  }
  firstAskedAt = performance.now();
  say(`${why}: stopping everything (again: stop at once) …`);
  abort.abort();
  void stack?.stop().then(() => {
    say("Stopped.");
    process.exit(0);
  });
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}

process.on("SIGINT", () => end("Ctrl-C"));
process.on("SIGTERM", () => end("SIGTERM"));
process.on("SIGHUP", () => end("The terminal was closed"));
process.on("disconnect", () => end("The starting process has ended"));
onParentGone(() => end("npm has ended"));
// The reader of our output may end before us.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

try {
  await ensureBuilt(say);
  const started = await startStack(process.env, { log: say, signal: abort.signal });
  stack = started;
  const host = process.env["HOST"] ?? "127.0.0.1";
  if (!isLoopback(host) && !process.env["API_TOKEN"]) {
    say(
      `\nWARNING: HOST=${host} lets other machines in and no API_TOKEN is set: everyone who reaches this address can use it.`,
    );
  }
  const names = { postgres: "PostgreSQL", nats: "NATS", storage: "file store" };
  const embedded = started.embedded.map((name) => Object.entries(names).find(([key]) => key === name)?.[1] ?? name);
  say(`\nEmbedded: ${embedded.join(", ") || "nothing"}. Ctrl-C stops everything.`);
  say(`Web Tester is ready at ${started.address}\n`);
} catch (error) {
  if (abort.signal.aborted) {
    say("Stopped.");
    process.exit(0);
  }
  process.stderr.write(
    error instanceof StartError
      ? `${error.message}\n`
      : `Web Tester could not start: ${error instanceof Error ? error.stack : wordsOf(error)}\n`,
  );
  process.exit(1);
}
