import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register, runEnded, startFetch } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** The object store's disk is unmounted for a while and an empty folder is in its place: nothing is lost, marked as lost, or written there. */
const pageCount = 6;
let product: Product;
let site: Site;
let id = "";
let disk = "";
let folder = "";

beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), "web-tester-store-"));
  const STORAGE_URL = pathToFileURL(join(disk, "objects")).href;
  [product, site] = await Promise.all([
    startProduct({ STORAGE_URL }, { servers: "store" }),
    startSite(manual(pageCount, "text")),
  ]);
  folder = fileURLToPath(product.stack.storageUrl);
  id = await register(product, site.url);
  await crawl(product, id);
  await fetchAll(product, id);
});
afterAll(async () => {
  await product.stop();
  await site.close();
  await rm(disk, { recursive: true, force: true });
});

const get = (path: string) =>
  fetch(`${product.address}${path}`).then(async (answer) => [answer.status, await answer.text()]);
/** The contents that are marked as lost; those that are announced but not written yet have no stored size and are left out. */
const lost = () => product.db.query(`SELECT 1 FROM content WHERE NOT stored AND stored_size > 0`);

test("a store that is away is named, waited for, and used when it is back", async () => {
  const [snapshot] = await product.db.query<{ id: string }>(`SELECT id FROM test_snapshot ORDER BY id LIMIT 1`);
  await rename(folder, `${folder}.away`);
  await mkdir(folder);
  const isAway = "The object store is not there";
  expect(await get("/readyz")).toEqual([503, expect.stringContaining(isAway)]);
  expect(await get(`/api/testsnapshots/${snapshot?.id}`)).toEqual([503, expect.stringContaining(isAway)]);

  let asked = 0;
  for (const [path] of site.pages)
    site.pages.set(path, (_request, response) => {
      asked++;
      response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>new</title><p>${path}`);
    });
  const runId = await startFetch(product, id);
  await until("pages that wait for the store", () => asked >= pageCount);
  expect(await lost()).toEqual([]);
  expect(await readdir(folder)).toEqual([]);

  await rm(folder, { recursive: true });
  await rename(`${folder}.away`, folder);
  expect(await runEnded(product, runId)).toMatchObject({ completed: pageCount, failed: 0 });
  await until("the store is ready again", async () => (await get("/readyz"))[0] === 200);
  expect(await invariantFaults(product)).toEqual([]);
  expect(await lost()).toEqual([]);
});
