import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createProgram } from "@web-tester/cli/program";
import { crawl, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** The list of checks and the badge show the same result of a check as the exit code of its command. */
let product: Product;
let site: Site;
let id = "";

const publish = (words: string, markup = "") => site.pages.set("/", `<h1${markup}>Hats</h1><p>${words}</p>`);

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(reachesLoopback), startSite({})]);
  publish("First");
  id = await register(product, site.url, "Hats");
  const body = { noise_mode: "off" as const, asset_snapshots: false };
  await product.rest.call("updateTestObject", { params: { id }, body });
  await crawl(product, id);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

async function run(...args: string[]): Promise<{ code: number; out: string; progress: string }> {
  const ran = { code: -1, out: "", progress: "" };
  const program = createProgram({
    env: { WEB_TESTER_URL: product.address },
    out: { write: (text) => (ran.out += text) },
    progress: { write: (text) => (ran.progress += text) },
    onInterrupt: () => undefined,
  });
  ran.code = await program(["node", "web-tester", ...args]);
  return ran;
}

/** Runs a check. @returns its exit code and output, the state in its row, the text of the badge, and the ID of the comparison's run */
async function check(...args: string[]) {
  const { code, out } = await run("check", "Hats", ...args);
  const [row] = (await product.rest.call("listChecks", { query: { testobject_id: id, limit: 1 } })).items;
  const { url } = await product.rest.call("createBadge", { params: { id } });
  const badge = await (await fetch(product.address + new URL(url).pathname)).text();
  const said = /Hats: ([^<"]+)/.exec(badge)?.[1];
  return { code, out, state: row?.state, waiting: row?.waiting, badge: said, runId: row?.run_id ?? "" };
}

async function fetchLabelled(label: string): Promise<void> {
  expect((await run("fetch", "Hats", "--label", label)).code).toBe(0);
}

test("with visual: a page that looks the same is left out of the row and the review too, one that does not waits", async () => {
  publish("Seen");
  await fetchLabelled("looks");
  publish("Seen", ` data-build="7"`);
  const all = await check("--against", "label:looks");
  expect(all).toMatchObject({ code: 1, state: "waiting", waiting: 1, badge: "1 to review" });
  const same = await check("--against", "label:looks", "--only", "visual");
  expect(same).toMatchObject({ code: 0, state: "accepted", waiting: 0, badge: "accepted" });
  const review = await product.rest.call("getReview", { params: { id: same.runId }, query: {} });
  expect(review).toMatchObject({ run: { changed: 0 }, waiting: 0, groups: [], counts: { ignored: 1, changed: 0 } });
  publish("Seen by everybody", ` data-build="7"`);
  const other = await check("--against", "label:looks", "--only", "visual");
  expect(other).toMatchObject({ code: 1, state: "waiting", waiting: 1, badge: "1 to review" });
  const { items } = await product.rest.call("listReviewPages", { params: { id: other.runId }, query: {} });
  const body = { instance_id: items[0]?.instance.id ?? "" };
  const asked = await product.rest.call("leaveOutAlike", { params: { id: other.runId }, body });
  expect(asked).toEqual({ changed: 1, waiting: 1, left_out: false });
});

test("what somebody called a problem rejects a check only where its kind makes it fail", async () => {
  publish("Before");
  await fetchLabelled("kinds");
  publish("After");
  const { runId } = await check("--against", "label:kinds");
  await product.rest.call("giveVerdict", { params: { id: runId }, body: { all: true, verdict: "problem" } });
  const again = (...kinds: string[]) => check("--against", "label:kinds", "--fail-on", ...kinds);
  expect(await again("new,gone,failed")).toMatchObject({ code: 0, state: "accepted", badge: "accepted" });
  expect(await again("changed")).toMatchObject({ code: 1, state: "rejected", badge: "rejected" });
});

test("a check in which a problem is mended is not rejected", async () => {
  publish("Good");
  await fetchLabelled("mended");
  publish("Bad");
  const { runId } = await check("--against", "label:mended");
  await product.rest.call("giveVerdict", { params: { id: runId }, body: { all: true, verdict: "problem" } });
  expect(await check("--against", "label:mended")).toMatchObject({ code: 1, state: "rejected" });
  publish("Good");
  expect(await check("--against", "label:mended")).toMatchObject({ code: 0, state: "accepted", badge: "accepted" });
});

test("what was accepted of a fetch that a check made is accepted where it is compared again without one", async () => {
  publish("Old");
  await fetchLabelled("again");
  publish("New");
  const { code, runId } = await check("--against", "label:again");
  expect(code).toBe(1);
  await product.rest.call("giveVerdict", { params: { id: runId }, body: { all: true, verdict: "accepted" } });
  expect(await check("--against", "label:again", "--no-fetch")).toMatchObject({ code: 0, state: "accepted" });
});

test("a command does not lose its run among those that are begun meanwhile", async () => {
  const held: (() => void)[] = [];
  site.pages.set("/", (_request, response) => void held.push(() => response.end("<h1>Late</h1>")));
  const going = run("fetch", "Hats");
  await until("the page to be asked for", () => Promise.resolve(held.length > 0));
  await product.db.query(
    `INSERT INTO run (test_object_id, kind, state, finished_at) SELECT $1, 'sitemaps', 'finished', now() FROM generate_series(1, 150)`,
    [id],
  );
  const { items } = await product.rest.call("listRuns", { params: { id }, query: { limit: 100 } });
  expect(items.some(({ kind }) => kind === "snapshot-all")).toBe(false);
  held.forEach((answer) => answer());
  expect(await going).toMatchObject({ code: 0, out: expect.stringContaining("Fetch finished: 1 done") });
});
