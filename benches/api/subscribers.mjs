// @ts-check
import { once } from "node:events";
import { WebSocket } from "ws";

/** Subscribes many clients to one object and counts what each is told. Started by main.mjs, with the product's address, the object and a number. */
const [address = "", testobjectId = "", count = "0"] = process.argv.slice(2);
const openedTogether = 50;
/** @type {number[]} */
const frames = Array.from({ length: Number(count) }, () => 0);

for (let from = 0; from < frames.length; from += openedTogether)
  await Promise.all(frames.slice(from, from + openedTogether).map((_, index) => subscribe(from + index)));
process.send?.({ type: "ready" });
process.on("message", (/** @type {{ type: string }} */ { type }) => {
  if (type === "begin") frames.fill(0);
  else process.send?.({ type: "seen", most: Math.max(...frames), least: Math.min(...frames) });
});

/** @param {number} index */
async function subscribe(index) {
  const socket = new WebSocket(`${address.replace("http", "ws")}/ws`);
  const subscribed = Promise.withResolvers();
  socket.on("error", () => undefined);
  socket.on("message", (/** @type {Buffer} */ data) => {
    if (data.includes('"subscribed"')) subscribed.resolve(undefined);
    else frames[index] = (frames[index] ?? 0) + 1;
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "subscribe", testobjectId }));
  await subscribed.promise;
}
