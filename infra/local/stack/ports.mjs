// @ts-check
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { codeOf, StartError, wordsOf } from "./start-error.mjs";

/**
 * The range is below the ports that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere), which could take a free
 * port before its server is started, and above those that browsers refuse.
 */
const [lowest, highest] = [12_000, 32_000];
const triesMax = 100;
/** Processes that choose ports at the same time, as tests do, mostly choose from different parts of the range. */
const stripes = 16;
const stripe = Math.floor((highest - lowest) / stripes);
const first = lowest + (process.pid % stripes) * stripe;
/**
 * Ports given out by this process: a stack asks more than once before all of its parts listen, and a part that has ended for a moment must
 * find its port free again.
 * @type {Set<number>}
 */
const given = new Set();

/**
 * Returns ports on 127.0.0.1 that nobody listens on, all different, and different from all that this process was given before. They are
 * free when this returns, but not reserved: a part that loses the race for one to another process fails to listen and is started again.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, () => listenAnywhere()));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map(close));
  // a process that has lived long enough to be given many of them starts over
  if (given.size > stripe / 2) given.clear();
  for (const port of ports) given.add(port);
  return ports;
}

/**
 * Returns a port on 127.0.0.1 that stays the same from start to start as long as nobody else takes it.
 * @param {string} file remembers it
 * @returns {Promise<number>}
 */
export async function keptPort(file) {
  const kept = Number(await readFile(file, "utf8").catch(() => ""));
  if (Number.isInteger(kept) && kept > 0 && kept < 65_536) {
    const server = await listen(kept, "127.0.0.1").catch(() => undefined);
    if (server !== undefined) {
      await close(server);
      return kept;
    }
  }
  const [port = 0] = await freePorts(1);
  await writeFile(file, `${port}\n`);
  return port;
}

/**
 * Checks that `host:port` can be listened on, before anything has been started for it.
 * @param {string} host
 * @param {number} port
 * @throws {StartError} naming the reason and the setting to change
 */
export async function assertCanListen(host, port) {
  try {
    await close(await listen(port, host));
  } catch (error) {
    throw new StartError(refusal(host, port, error), { cause: error });
  }
}

/** @param {string} host @param {number} port @param {unknown} error */
function refusal(host, port, error) {
  const other = port === 8080 ? 8081 : 8080;
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use by another program: stop that program, or choose another port (PORT=${other} npm start).`;
    case "EACCES":
      return `Port ${port} on ${host} may not be used by this user: choose one above 1023 (PORT=${other} npm start).`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `HOST=${host} is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for every address.`;
    default:
      return `Cannot listen on ${host}:${port} (${wordsOf(error)}): choose another HOST or PORT.`;
  }
}

async function listenAnywhere() {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = randomInt(first, first + stripe);
    if (given.has(port)) continue;
    const server = await listen(port, "127.0.0.1").catch(() => undefined);
    if (server !== undefined) return server;
  }
  return listen(0, "127.0.0.1");
}

/** @param {number} port @param {string} host */
async function listen(port, host) {
  const server = createServer();
  server.listen({ port, host, exclusive: true });
  await once(server, "listening");
  return server;
}

/** @param {import("node:net").Server} server */
async function close(server) {
  server.close();
  await once(server, "close");
}
