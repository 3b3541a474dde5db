import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { startSite, type Site } from "../support/site.js";

/**
 * If the database refuses a row of a page, only that page fails, with the reason: the run ends and all other pages are recorded. Triggers
 * make the database refuse, because all known ways in which a page itself could cause that are fixed.
 */
let product: Product;
let site: Site;
let objectId: string;

const paths = Array.from({ length: 12 }, (_, index) => `/page-${index}.html`);

beforeAll(async () => {
  const links = [...paths, "/poison.html"].map((path) => `<a href="${path}">x</a>`).join("");
  site = await startSite({
    "/": `<title>Start</title>${links}`,
    ...Object.fromEntries([...paths, "/poison.html"].map((path) => [path, `<title>${path}</title><p>${path}</p>`])),
  });
  product = await startProduct();
  await product.db.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no poison here'; END $$`);
  objectId = await register(product, site.url);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

test("a crawl ends with every other page, and names the one that could not be recorded", async () => {
  await product.db.query(`
    CREATE TRIGGER no_poison BEFORE INSERT ON test_instance FOR EACH ROW WHEN (NEW.url LIKE '%poison%') EXECUTE FUNCTION refuse()`);
  const run = await crawl(product, objectId);
  await product.db.query(`DROP TRIGGER no_poison ON test_instance`);
  expect(run).toMatchObject({ state: "finished", total: 14, completed: 14, failed: 1, found: 13 });
  const pages = await product.db.query(`SELECT url, error FROM crawl_page WHERE outcome = 'failed'`);
  expect(pages).toEqual([
    { url: `${site.url}poison.html`, error: expect.stringContaining("could not be recorded (no poison here)") },
  ]);
});

test("so does a fetch", async () => {
  await crawl(product, objectId);
  const [page] = await product.db.query<{ id: string }>(`SELECT id FROM test_instance WHERE url LIKE '%poison%'`);
  await product.db.query(`
    CREATE TRIGGER no_poison BEFORE UPDATE ON test_snapshot FOR EACH ROW
    WHEN (NEW.test_instance_id = '${page?.id}' AND NEW.headers <> '{}') EXECUTE FUNCTION refuse()`);
  const run = await fetchAll(product, objectId);
  expect(run).toMatchObject({ state: "finished", total: 14, completed: 14, failed: 1 });
  const snapshots = await product.db.query(`SELECT error FROM test_snapshot WHERE state = 'failed'`);
  expect(snapshots).toHaveLength(1);
  expect(snapshots).toEqual([
    expect.objectContaining({ error: expect.stringContaining("could not be recorded (no poison here)") }),
  ]);
});
