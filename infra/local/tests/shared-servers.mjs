// @ts-check
import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import pg from "pg";
import { startStack } from "../stack.mjs";
import { openPool } from "./pool.mjs";

/** Connections that the suites running at once need: 60 for each product, 4 for its suite. */
const workersToldToPostgres = "20";
/** A product that waits costs as much in this time as the start of another one. */
const productIdleMs = 60_000;

/**
 * @typedef {object} SharedProduct what a suite must know to use a product that it did not start
 * @property {string} id
 * @property {string} address
 * @property {string} databaseUrl
 * @property {string} natsUrl
 * @property {string} storageUrl
 * @property {string} dataDir
 * @property {string} stateFile names the present pid of every part
 */

/**
 * Servers that test suites share instead of starting their own: one PostgreSQL, in which each suite gets its own database as a copy of a migrated
 * template, and products, which suites use one after the other and leave as they found them. Each is started when a suite first
 * asks for it, and ended when none has used it for a minute. The interface is HTTP, because the suites run in processes of jest:
 * `POST /databases` → `{ url }`; `DELETE /databases/{name}` removes it;
 * `POST /products` with `{ env, kind }` → `SharedProduct`, whose environment was `env` or that of another product of its `kind`;
 * `POST /products/{id}/clean` gives it to the next suite; `DELETE /products/{id}` ends one that could not be cleaned.
 * @param {string} folder where they keep their files
 */
export async function openSharedServers(folder) {
  /** @type {Promise<import("../stack.mjs").Stack> | undefined} */
  let cluster;
  let databases = 0;
  /** @type {ReturnType<typeof openPool<{ stack: import("../stack.mjs").Stack, facts: SharedProduct }>>} */
  const products = openPool(endProduct, productIdleMs);
  /** The template database must have no other connection while it is copied. @type {Promise<unknown>} */
  let lastCopy = Promise.resolve();

  const startCluster = () =>
    (cluster ??= startStack(
      {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        DATA_DIR: join(folder, "cluster"),
        PORT: "0",
        CRAWLERS: workersToldToPostgres,
        FETCHERS: workersToldToPostgres,
      },
      { services: false },
    ));

  /** @param {string} sql */
  async function administer(sql) {
    const { databaseUrl } = await startCluster();
    const client = new pg.Client({ connectionString: new URL("/postgres", databaseUrl).href });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  async function copyDatabase() {
    const { databaseUrl } = await startCluster();
    const template = new URL(databaseUrl).pathname.slice(1);
    const name = `suite_${++databases}`;
    const copying = lastCopy.then(() => administer(`CREATE DATABASE ${name} TEMPLATE ${template}`));
    lastCopy = copying.catch(() => undefined);
    await copying;
    return new URL(`/${name}`, databaseUrl).href;
  }

  /** Drops a database. Each one that is left costs processor time, because the autovacuum launcher visits them all. @param {string} name */
  async function dropDatabase(name) {
    if (!/^suite_\d+$/.test(name)) throw new Error(`No suite has the database ${name}`);
    await administer(`DROP DATABASE ${name} WITH (FORCE)`);
  }

  /** @param {string} id @param {Record<string, string>} env */
  async function startProduct(id, env) {
    const home = join(folder, `product-${id}`);
    await mkdir(home);
    await chmod(home, 0o711);
    const dataDir = join(home, "data");
    const stack = await startStack({ ...env, DATABASE_URL: await copyDatabase(), DATA_DIR: dataDir, PORT: "0" });
    const { address, databaseUrl, natsUrl, storageUrl, stateFile } = stack;
    return { stack, facts: { id, address, databaseUrl, natsUrl, storageUrl, dataDir, stateFile } };
  }

  /** @param {{ stack: import("../stack.mjs").Stack, facts: SharedProduct }} product */
  async function endProduct({ stack, facts }) {
    await stack.stop();
    await dropDatabase(new URL(facts.databaseUrl).pathname.slice(1));
    await rm(join(folder, `product-${facts.id}`), { recursive: true, force: true });
  }

  /** @param {import("node:http").IncomingMessage} request @returns {Promise<unknown>} */
  async function answer(request) {
    const [, what, id = "", act] = (request.url ?? "").split("/");
    if (what === "databases") {
      if (request.method !== "DELETE") return { url: await copyDatabase() };
      await dropDatabase(id);
      return {};
    }
    if (what !== "products") throw new Error(`Nobody knows ${request.url}`);
    if (id === "") {
      const { env, kind } = /** @type {{ env: Record<string, string>, kind: string }} */ (await json(request));
      return (await products.take(kind, (own) => startProduct(own, env))).facts;
    }
    if (request.method === "DELETE") await products.remove(id);
    else if (act === "clean") products.giveBack(id);
    return {};
  }

  const server = createServer((request, response) => {
    // otherwise an idle connection that closes just when it is used again would fail a suite
    response.setHeader("connection", "close");
    answer(request).then(
      (value) => response.setHeader("content-type", "application/json").end(JSON.stringify(value)),
      (error) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  // a product that starts on a busy machine may take long
  server.requestTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());

  return {
    address: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await products.close();
      await (await cluster?.catch(() => undefined))?.stop();
    },
  };
}
