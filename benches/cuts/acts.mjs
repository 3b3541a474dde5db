// @ts-check
import { connect } from "node:net";

/**
 * The things that a careless or hostile client does with one connection.
 *
 * @typedef {{ method: string, path: string }} Route
 * @typedef {"whole" | "cut" | "reset" | "half a head" | "half a body" | "not reading" | "several at once" | "websocket" | "no HTTP"} Act
 */

/** @type {readonly Act[]} */
export const acts = [
  "whole",
  "cut",
  "reset",
  "half a head",
  "half a body",
  "not reading",
  "several at once",
  "websocket",
  "no HTTP",
];

/** The longest time that one act takes. */
const longestMs = 8_000;

/**
 * Does one act, on a route, both chosen by the random numbers. Calls that change something are never sent whole, so that nothing is changed.
 * @param {URL} address
 * @param {readonly Route[]} routes
 * @param {() => number} random from 0 to 1
 * @returns {Promise<{ act: Act, answered: boolean }>}
 */
export async function actOnce(address, routes, random) {
  const pick = (/** @type {number} */ below) => Math.floor(random() * below);
  const route = routes[pick(routes.length)] ?? { method: "GET", path: "/" };
  const reads = route.method === "GET";
  const chosen = acts[pick(acts.length)] ?? "whole";
  const act =
    reads || chosen === "half a head" || chosen === "websocket" || chosen === "no HTTP" ? chosen : "half a body";
  const head = `${route.method} ${route.path} HTTP/1.1\r\nHost: ${address.host}\r\n`;
  const answered = await new Promise((resolve) => {
    const socket = connect(Number(address.port), address.hostname);
    let bytes = 0;
    // most cuts come early, some late
    const after = Math.floor(10 ** (random() * 7));
    const holdMs = Math.floor(random() * 2_000);
    const timer = setTimeout(() => socket.destroy(), longestMs);
    socket.on("error", () => {});
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(bytes > 0);
    });
    socket.on("data", (part) => {
      bytes += part.length;
      if (act === "cut" && bytes >= after) socket.destroy();
      if (act === "reset" && bytes >= after) socket.resetAndDestroy();
      if (act === "websocket" && random() < 0.3) socket.destroy();
    });
    const leaveSoon = () => setTimeout(() => socket.destroy(), holdMs);
    socket.once("connect", () => {
      switch (act) {
        case "half a head":
          socket.write(head.slice(0, 1 + Math.floor(random() * head.length)));
          return leaveSoon();
        case "half a body":
          socket.write(`${head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"name": "half`);
          return leaveSoon();
        case "not reading":
          socket.write(`${head}\r\n`);
          socket.pause();
          return leaveSoon();
        case "several at once":
          socket.write(`${head}\r\n`.repeat(5));
          return leaveSoon();
        case "websocket":
          socket.write(
            `GET ${random() < 0.5 ? "/ws" : "/ws/console"} HTTP/1.1\r\nHost: ${address.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
          );
          // half a frame
          socket.write(Buffer.from([0x81, 0xfe, 0x01, 0x00, 1, 2, 3, 4, 5]));
          return leaveSoon();
        case "no HTTP":
          socket.write(Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256))));
          return leaveSoon();
        default:
          return socket.write(`${head}Connection: close\r\n\r\n`);
      }
    });
  });
  return { act, answered };
}
