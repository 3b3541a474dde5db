import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startS3 } from "@web-tester/platform/object-store/test-s3";
import { file, png } from "../support/asset-site.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { type Product, startProduct } from "../support/product.js";
import { startSecond } from "../support/second-worker.js";
import { type Site, startSite } from "../support/site.js";

/**
 * A setup as in a cluster: the workers know the product's parts by address rather than by local port, and the operator allows fetches from
 * private networks. The product's own parts are inside such a network and still must not be fetched.
 */
let s3: Awaited<ReturnType<typeof startS3>>;
let product: Product;
let site: Site;
let neighbour: Site;
let parts: Record<string, string>;
const stops: (() => Promise<void>)[] = [];
const refused = /where this product itself listens/;

beforeAll(async () => {
  s3 = await startS3();
  product = await startProduct(
    { ...s3.env, CRAWLERS: "0", FETCHERS: "0", EGRESS_ALLOW: "127.0.0.0/8" },
    { servers: "own" },
  );
  stops.push(startSecond(product, "crawler"), startSecond(product, "fetcher"));
  const { databaseUrl, natsUrl } = product.stack;
  parts = {
    postgres: `http://${new URL(databaseUrl).host}/`,
    nats: `http://${new URL(natsUrl).host}/`,
    s3: `${s3.endpoint}/`,
    gateway: `${product.address}/`,
  };
  neighbour = await startSite({
    "/": "<!doctype html><title>Neighbour</title>",
    "/pic.png": file("image/png", png(2, 2, 0xff0000)),
  });
  site = await startSite({});
  for (const [name, url] of Object.entries(parts))
    site.pages.set(`/to/${name}`, (_request, response) => void response.writeHead(302, { location: url }).end());
  const pictures = [...Object.values(parts), neighbour.url].map((url) => `<img src="${url}pic.png">`).join("");
  site.pages.set("/pictures", `<!doctype html><title>Pictures</title>${pictures}`);
}, 120_000);
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await product?.stop();
  await Promise.all([s3?.close(), site?.close(), neighbour?.close()]);
});

/** Fetches pages as a new object. @returns the snapshot of each page, by address */
async function fetchPages(urls: string[], fetchMode: "http" | "browser") {
  const id = await register(product, site.url, `Object ${fetchMode} ${urls.length}`);
  await product.rest.call("updateTestObject", {
    params: { id },
    body: { fetch_mode: fetchMode, asset_snapshots: true },
  });
  await product.db.query(
    `INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) AS u`,
    [id, urls],
  );
  await fetchAll(product, id);
  const rows = await product.db.query<{ id: string; url: string; state: string; error: string | null }>(
    `SELECT s.id, i.url, s.state, s.error FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1`,
    [id],
  );
  return new Map(rows.map((row) => [row.url, row]));
}

test.each(["http", "browser"] as const)(
  "by %s neither its parts nor what redirects there are fetched, their neighbour is",
  async (mode) => {
    const to = Object.keys(parts).map((name) => `${site.url}to/${name}`);
    const pages = await fetchPages([...Object.values(parts), ...to, neighbour.url], mode);
    for (const url of [...Object.values(parts), ...to])
      expect(pages.get(url)).toMatchObject({ url, state: "failed", error: expect.stringMatching(refused) });
    expect(pages.get(neighbour.url)).toMatchObject({ state: "done" });
  },
  180_000,
);

test.each(["http", "browser"] as const)(
  "files of a page come by %s from the neighbour only",
  async (mode) => {
    const url = `${site.url}pictures`;
    const page = (await fetchPages([url], mode)).get(url);
    expect(page).toMatchObject({ state: "done" });
    const assets = await product.db.query<{ url: string; error: string | null }>(
      "SELECT a.url, a.error FROM snapshot_asset a JOIN test_snapshot s ON s.files_id = a.list_id WHERE s.id = $1",
      [page?.id],
    );
    const errors = new Map(assets.map((asset) => [asset.url, asset.error]));
    for (const part of Object.values(parts))
      expect([part, errors.get(`${part}pic.png`)]).toEqual([part, expect.stringMatching(refused)]);
    expect(errors.get(`${neighbour.url}pic.png`)).toBeNull();
  },
  120_000,
);

test("nor is the robots.txt of one read, that of the neighbour is", async () => {
  for (const url of [parts["gateway"] ?? "", neighbour.url])
    await crawl(product, await register(product, url, `Robots of ${url}`));
  const files = await product.db.query<{ origin: string; problem: string | null }>(
    "SELECT origin, problem FROM robots_file",
  );
  // for an object's own site the column holds further words after the origin
  const problems = new Map(files.map(({ origin, problem }) => [origin.split(" ", 1)[0], problem]));
  expect(problems.get(new URL(parts["gateway"] ?? "").origin)).toMatch(refused);
  expect(problems.get(new URL(neighbour.url).origin)).toBeNull();
  expect(neighbour.requests).toContain("/robots.txt");
}, 120_000);
