// @ts-check
import { once } from "node:events";
import { WebSocket } from "ws";

/**
 * Subscribes many clients to one object and counts the frames that each receives, and the changes in them. Started by
 * main.mjs with the product's address, the object, the number of clients and the API token.
 */
const [address = "", testobjectId = "", count = "0", token = ""] = process.argv.slice(2);
const openedTogether = 50;
/** @type {number[]} */
const frames = Array.from({ length: Number(count) }, () => 0);
/** @type {number[]} */
const changes = frames.map(() => 0);

for (let from = 0; from < frames.length; from += openedTogether)
  await Promise.all(frames.slice(from, from + openedTogether).map((_, index) => subscribe(from + index)));
process.send?.({ type: "ready" });
process.on("message", (/** @type {{ type: string }} */ { type }) => {
  if (type === "begin") for (const counts of [frames, changes]) counts.fill(0);
  else
    process.send?.({
      type: "seen",
      most: Math.max(...frames),
      least: Math.min(...frames),
      leastChanges: Math.min(...changes),
    });
});

/** @param {number} index */
async function subscribe(index) {
  const socket = new WebSocket(`${address.replace("http", "ws")}/ws`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const subscribed = Promise.withResolvers();
  socket.on("error", () => undefined);
  socket.on("message", (/** @type {Buffer} */ data) => {
    if (data.includes('"subscribed"')) subscribed.resolve(undefined);
    else {
      frames[index] = (frames[index] ?? 0) + 1;
      if (data.includes('"snapshot:changed"'))
        changes[index] = (changes[index] ?? 0) + JSON.parse(data.toString("utf8")).changes.length;
    }
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "subscribe", testobjectId }));
  await subscribed.promise;
}
