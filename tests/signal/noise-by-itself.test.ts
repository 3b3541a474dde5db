import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { type Page, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

const names = Array.from({ length: 11 }, (_, index) => `p${index}`);
let product: Product;
let site: Site;
let visits = 0;

beforeAll(async () => {
  const pages: Record<string, Page> = { "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") };
  for (const name of names)
    pages[`/${name}`] = (_request, response) => {
      visits += 1;
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(
        `<h1>${name}</h1>\n<p id="visits">Visit ${visits * 7919}</p>\n<p>${"Words of the page. ".repeat(40)}</p>`,
      );
    };
  [product, site] = await Promise.all([shareProduct(reachesLoopback), startSite(pages)]);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

type Mode = "propose" | "apply" | "off";

async function fetched(mode: Mode): Promise<string> {
  const id = await register(product, site.url, mode);
  await product.rest.call("updateTestObject", { params: { id }, body: { noise_mode: mode } });
  await crawl(product, id);
  await fetchAll(product, id);
  return id;
}
const stateOf = async (id: string) => {
  const [row] = await product.db.query<{ state: string }>(
    "SELECT noise_state AS state FROM test_object WHERE id = $1",
    [id],
  );
  return row?.state;
};
const told = (id: string) =>
  until("its runs to be told", async () => {
    const rows = await product.db.query("SELECT 1 FROM run WHERE test_object_id = $1 AND NOT told", [id]);
    return rows.length === 0;
  });
/** Dates the end of all runs of an object back, so that it counts as quiet. */
const rest = (id: string) =>
  product.db.query("UPDATE run SET finished_at = now() - interval '11 minutes' WHERE test_object_id = $1", [id]);
const noiseRuns = async (id: string) =>
  (await product.rest.call("listRuns", { params: { id }, query: { limit: 100 } })).items.filter(
    ({ kind }) => kind === "noise",
  );
const rules = async (id: string) => (await product.rest.call("listRules", { params: { id } })).items;

test("once it has been quiet, noise is looked for and proposed, once", async () => {
  const id = await fetched("propose");
  await told(id);
  expect(await stateOf(id)).toBe("due");
  expect(await noiseRuns(id)).toEqual([]);
  await rest(id);
  await until("the search to end", async () => (await noiseRuns(id))[0]?.state === "finished");
  const found = await rules(id);
  expect(found.length).toBeGreaterThan(0);
  expect(found.every(({ state }) => state === "proposed")).toBe(true);
  await fetchAll(product, id);
  await told(id);
  expect(await stateOf(id)).toBe("tried");
  expect(await noiseRuns(id)).toHaveLength(1);
  // some fetches later, which are still as noisy, the history is searched
  for (let fetches = 0; fetches < 3; fetches += 1) await fetchAll(product, id);
  await told(id);
  expect(await stateOf(id)).toBe("again");
  const requests = site.requests.length;
  await rest(id);
  await until("the history to be looked at", async () => {
    const [newest, earlier] = await noiseRuns(id);
    return earlier !== undefined && newest?.state === "finished";
  });
  expect(site.requests.length).toBe(requests);
  expect(await stateOf(id)).toBe("tried");
});

test("a schedule that fetches all the time does not put it off", async () => {
  const id = await fetched("propose");
  await told(id);
  await rest(id);
  const earlier = (await noiseRuns(id)).length;
  await product.db.query("UPDATE test_object SET noise_state = 'tried' WHERE id = $1", [id]);
  await fetchAll(product, id);
  const by = (who: string) =>
    product.db.query(
      "UPDATE run SET started_by = $2, finished_at = now() WHERE id = (SELECT id FROM run WHERE test_object_id = $1 AND kind = 'snapshot-all' ORDER BY id DESC LIMIT 1)",
      [id, who],
    );
  await by("schedule");
  await product.db.query("UPDATE test_object SET noise_state = 'due' WHERE id = $1", [id]);
  await until("the search to begin", async () => (await noiseRuns(id)).length > earlier);
  expect((await noiseRuns(id))[0]).toMatchObject({ started_by: "product" });
});

test("where the object says so, what is found is put in force", async () => {
  const id = await fetched("apply");
  await told(id);
  await rest(id);
  await until("the search to end", async () => (await noiseRuns(id))[0]?.state === "finished");
  expect((await rules(id)).some(({ state }) => state === "active")).toBe(true);
});

test("switched off it stays away, and comes with the first fetch after it was switched on", async () => {
  const id = await fetched("off");
  await told(id);
  expect(await stateOf(id)).toBe("open");
  await product.rest.call("updateTestObject", { params: { id }, body: { noise_mode: "propose" } });
  await fetchAll(product, id);
  await told(id);
  expect(await stateOf(id)).toBe("due");
});
