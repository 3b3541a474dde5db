// @ts-check
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";

/** Opens consoles and checks the lines that they receive. Started by main.mjs with the product's address and two numbers. */
const [address = "", sockets = "0", stopped = "0"] = process.argv.slice(2);
const openedTogether = 50;
const patienceMs = 30_000;
const linePattern = /"message":"line (\d+) [^"]*","ts":(\d+),"jobId":"([^"]*)"/;

/** @typedef {{ lines: number, reordered: number, doubled: number, last: Map<string, number> }} Reader */
/** @type {Reader[]} */
const readers = [];
let latestMs = 0;

for (let n = 0; n < Number(sockets); n += openedTogether)
  await Promise.all(Array.from({ length: Math.min(openedTogether, Number(sockets) - n) }, () => openReader()));
for (let n = 0; n < Number(stopped); n++) {
  const socket = await subscribe(() => undefined);
  socket.pause();
}
process.send?.({ type: "ready" });

const [{ expected }] = await once(process, "message");
const end = performance.now() + patienceMs;
while (readers.some(({ lines }) => lines < expected) && performance.now() < end) await wait(50);
process.send?.({
  type: "seen",
  complete: readers.filter(({ lines }) => lines === expected).length,
  reordered: readers.reduce((sum, reader) => sum + reader.reordered, 0),
  doubled: readers.reduce((sum, reader) => sum + reader.doubled, 0),
  latestMs,
});

async function openReader() {
  /** @type {Reader} */
  const reader = { lines: 0, reordered: 0, doubled: 0, last: new Map() };
  readers.push(reader);
  await subscribe((text) => {
    // parsing 100,000 frames a second as JSON would take all of this process's time
    const [, number = "", ts = "", jobId = ""] = linePattern.exec(text) ?? [];
    if (jobId === "") return;
    const at = Number(number);
    const before = reader.last.get(jobId) ?? -1;
    if (at === before) reader.doubled += 1;
    else if (at < before) reader.reordered += 1;
    reader.last.set(jobId, at);
    reader.lines += 1;
    latestMs = Math.max(latestMs, Date.now() - Number(ts));
  });
}

/** @param {(text: string) => void} onText */
async function subscribe(onText) {
  const socket = new WebSocket(`${address.replace("http", "ws")}/ws/console`);
  socket.on("error", () => undefined);
  const subscribed = Promise.withResolvers();
  socket.on("message", (/** @type {Buffer} */ data) => {
    const text = data.toString("utf8");
    if (text.startsWith('{"type":"subscribed"')) subscribed.resolve(undefined);
    else onText(text);
  });
  await once(socket, "open");
  socket.send('{"type":"subscribe"}');
  await subscribed.promise;
  return socket;
}
