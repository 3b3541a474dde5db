import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, register, runEnded, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Page, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** A fetch that somebody stopped says how far it came, and what it did not get to can be fetched by itself. */
const paths = Array.from({ length: 39 }, (_, n) => `/page-${n}`);
const pages = paths.length + 1;
let product: Product;
let site: Site;
let id: string;
let stoppedId: string;
/** How many more pages the site answers before it keeps its visitors waiting. */
let answers = Number.POSITIVE_INFINITY;
const waiting: (() => void)[] = [];

function goOn(): void {
  answers = Number.POSITIVE_INFINITY;
  for (const answer of waiting.splice(0)) answer();
}

const page: Page = (request, response) => {
  const answer = () => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(`<title>${request.url ?? ""}</title><p>Words`);
  };
  if (answers-- > 0) answer();
  else waiting.push(answer);
};

const runOf = async (runId: string) => product.rest.call("getRun", { params: { id: runId } });
const fetchRest = (stopped: string, of = id) =>
  product.rest.call("snapshotSelected", { params: { id: of }, body: { stopped_in: stopped } });
const timesFetched = () =>
  product.db.query<{ done: number; n: number }>(
    `SELECT done, count(*)::int AS n FROM (
       SELECT i.id, count(s.id)::int AS done FROM test_instance i LEFT JOIN test_snapshot s ON s.test_instance_id = i.id AND s.state = 'done'
       WHERE i.test_object_id = $1 GROUP BY i.id) AS each GROUP BY done`,
    [id],
  );

beforeAll(async () => {
  const links = paths.map((path) => `<a href="${path}">a</a>`).join("");
  const linked = Object.fromEntries(paths.map((path) => [path, page]));
  [product, site] = await Promise.all([shareProduct(), startSite({ "/": `<title>Root</title>${links}`, ...linked })]);
  id = await register(product, site.url);
  await crawl(product, id);
});
afterAll(async () => {
  goOn();
  await product.stop();
  await site.close();
});

test("it says how many pages it did not get to", async () => {
  answers = 10;
  stoppedId = await startFetch(product, id);
  await until("some pages are fetched", async () => ((await runOf(stoppedId)).completed >= 5 ? true : undefined));
  // while it goes on, nothing of it is left
  await expect(fetchRest(stoppedId)).rejects.toThrow("HTTP 409");
  await product.rest.call("cancelRun", { params: { id: stoppedId } });
  goOn();
  const run = await runOf(stoppedId);
  expect(run).toMatchObject({ state: "cancelled", total: pages, completed: pages, failed: 0 });
  const [{ n: done } = { n: 0 }] = await product.db.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM test_snapshot WHERE run_id = $1 AND state = 'done'",
    [stoppedId],
  );
  expect(run.stopped).toBe(pages - done);
  expect(run.stopped).toBeGreaterThan(0);
});

test("the rest of it is fetched as a run of its own, without what was fetched since, and only once", async () => {
  const { stopped } = await runOf(stoppedId);
  const [one] = await product.db.query<{ id: string }>(
    "SELECT test_instance_id AS id FROM test_snapshot WHERE run_id = $1 AND state = 'cancelled' LIMIT 1",
    [stoppedId],
  );
  const chosen = await product.rest.call("snapshotSelected", { params: { id }, body: { ids: [one?.id ?? ""] } });
  await runEnded(product, chosen.runId ?? "");
  const { created, runId } = await fetchRest(stoppedId);
  expect(created).toBe(stopped - 1);
  expect(await runEnded(product, runId ?? "")).toMatchObject({ state: "finished", total: stopped - 1, failed: 0 });
  expect(await timesFetched()).toEqual([{ done: 1, n: pages }]);
  expect(await fetchRest(stoppedId)).toEqual({ created: 0, runId: null });
  expect((await runOf(runId ?? "")).stopped).toBe(0);
});

test("a fetch that was not stopped, one of another object, and a selection beside it are refused in words", async () => {
  const whole = await startFetch(product, id);
  await runEnded(product, whole);
  await expect(fetchRest(whole)).rejects.toThrow("HTTP 404");
  const other = await register(product, `${site.url}other/`, "Other");
  await expect(fetchRest(stoppedId, other)).rejects.toThrow("HTTP 404");
  const body = { stopped_in: stoppedId, status: "failed" as const };
  await expect(product.rest.call("snapshotSelected", { params: { id }, body })).rejects.toThrow("HTTP 400");
});

test("two people who stop it at the same moment have both stopped it", async () => {
  answers = 0;
  const runId = await startFetch(product, id);
  const stop = () => product.rest.call("cancelRun", { params: { id: runId } });
  const { both } = await product.db.transaction(async (tx) => {
    await tx.query("SELECT 1 FROM run WHERE id = $1 FOR NO KEY UPDATE", [runId]);
    const stopping = Promise.allSettled([stop(), stop()]);
    await until("both to have begun", async () => {
      const begun = await product.db.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'cancelled'`,
      );
      return begun.length === 2;
    });
    return { both: stopping };
  });
  goOn();
  expect(await both).toEqual(
    Array.from({ length: 2 }, () => ({ status: "fulfilled", value: expect.objectContaining({ state: "cancelled" }) })),
  );
});
