import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { crawl, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { uploadJson } from "../support/transfer.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;
let objectId = "";

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(),
    startSite({ "/": `<a href="/shop/a">a</a><a href="/shop/b">b</a><a href="/news">n</a>`, "/news": "News" }),
  ]);
  for (const name of ["a", "b"]) site.pages.set(`/shop/${name}`, `<p>${name}</p>`);
  objectId = await register(product, site.url, "The shop");
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const add = (body: BodyInput<"createSchedule">) =>
  product.rest.call("createSchedule", { params: { id: objectId }, body });
const hourly = { type: "every" as const, minutes: 60 };
/** Makes a schedule due. */
const makeDue = (id: string) =>
  product.db.query("UPDATE schedule SET begins_at = now() - interval '1 second' WHERE id = $1", [id]);

async function ended(id: string) {
  let last: { outcome: string; run_id: string | null; said: string } | null = null;
  await until("the due time to end", async () => {
    const { items } = await product.rest.call("listSchedules", { params: { id: objectId } });
    last = items.find((item) => item.id === id)?.last ?? null;
    return last !== null;
  });
  return last as unknown as { outcome: string; run_id: string | null; said: string };
}

async function runOf(id: string | null) {
  const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 50 } });
  return items.find((run) => run.id === id);
}

test("what is due begins, once, and says who began it; what is there is shown in words with its next times", async () => {
  const made = await add({ work: "crawl", time: hourly });
  expect(made.words).toBe("Every hour");
  expect(made.next).toHaveLength(3);
  await makeDue(made.id);
  const last = await ended(made.id);
  expect(last.outcome).toBe("started");
  expect(await runOf(last.run_id)).toMatchObject({ kind: "crawl", started_by: "schedule" });
  await until("the crawl to end", async () => (await runOf(last.run_id))?.state === "finished");
  const times = await product.db.query("SELECT due_at FROM due_time WHERE schedule_id = $1", [made.id]);
  expect(times).toHaveLength(1);
  await product.rest.call("deleteSchedule", { params: { id: made.id } });
});

test("a fetch of a path is of the pages with that path", async () => {
  await crawl(product, objectId);
  const made = await add({ work: "fetch-path", path: "/shop/*", time: hourly });
  await makeDue(made.id);
  const last = await ended(made.id);
  expect(await runOf(last.run_id)).toMatchObject({ kind: "snapshot-all", total: 2, started_by: "schedule" });
  await until("the fetch to end", async () => (await runOf(last.run_id))?.state === "finished");
  const none = await add({ work: "fetch-path", path: "/100%/*", time: hourly });
  await makeDue(none.id);
  expect(await ended(none.id)).toMatchObject({ outcome: "nothing-to-do", run_id: null });
});

test("a run that is going is not overlapped, but noted", async () => {
  const home = site.pages.get("/") ?? "";
  let release = () => undefined as void;
  const released = new Promise<void>((resolve) => (release = resolve));
  site.pages.set("/", (_, response) => void released.then(() => response.end(home)));
  const { runId } = await product.rest.call("crawl", { params: { id: objectId } });
  const made = await add({ work: "crawl", time: hourly });
  await makeDue(made.id);
  expect(await ended(made.id)).toMatchObject({
    outcome: "overlapped",
    run_id: null,
    said: expect.stringMatching(/crawl/i),
  });
  release();
  await until("the crawl to end", async () => (await runOf(runId))?.state === "finished");
  site.pages.set("/", home);
  await product.rest.call("deleteSchedule", { params: { id: made.id } });
});

test("a paused one is never due, and goes on from now when it is let go", async () => {
  const made = await add({ work: "fetch", time: hourly, paused: true });
  expect(made.next).toEqual([]);
  const gone = await product.rest.call("updateSchedule", { params: { id: made.id }, body: { paused: false } });
  expect(gone).toMatchObject({ work: "fetch", time: hourly, paused: false });
  expect(gone.next).toHaveLength(3);
  const all = await product.rest.call("listAllSchedules", { query: { limit: 200 } });
  expect(all.items).toContainEqual({ ...gone, object_name: "The shop" });
  expect(all.items).toHaveLength(all.total);
  const behind = await product.rest.call("listAllSchedules", { query: { limit: 200, skip: 1_000 } });
  expect(behind).toEqual({ items: [], total: all.total });
  const { items } = await product.rest.call("listUpcomingRuns", {});
  expect(items).toContainEqual(expect.objectContaining({ schedule_id: made.id, object_name: "The shop" }));
});

test("those of an object are listed in the order in which they were made", async () => {
  const made: string[] = [];
  for (let count = 0; count < 6; count++) made.push((await add({ work: "crawl", time: hourly, paused: true })).id);
  const { items } = await product.rest.call("listSchedules", { params: { id: objectId } });
  expect(items.map(({ id }) => id).filter((id) => made.includes(id))).toEqual(made);
  for (const id of made) await product.rest.call("deleteSchedule", { params: { id } });
});

test("a run that is to begin a little later still begins where something else of its schedule is changed", async () => {
  const made = await add({ work: "crawl", time: hourly, jitter_minutes: 60 });
  const dueAt = async () =>
    (
      await product.db.query<{ due: boolean }>("SELECT due_at < now() AS due FROM schedule WHERE id = $1", [made.id])
    )[0];
  await product.db.query(
    "UPDATE schedule SET due_at = now() - interval '1 minute', begins_at = now() + interval '1 hour' WHERE id = $1",
    [made.id],
  );
  await product.rest.call("updateSchedule", { params: { id: made.id }, body: { work: "sitemaps", time: hourly } });
  expect(await dueAt()).toEqual({ due: true });
  await product.rest.call("updateSchedule", { params: { id: made.id }, body: { jitter_minutes: 5 } });
  expect(await dueAt()).toEqual({ due: false });
  await product.rest.call("deleteSchedule", { params: { id: made.id } });
});

test("schedules come with an import, once, and one that cannot be obeyed is refused with its place", async () => {
  const daily = { work: "fetch", time: { type: "cron", cron: "0 6 * * *", time_zone: "Europe/Berlin" } };
  const file = (schedules: unknown[]) => ({
    testObjects: [{ id: "1", name: "Imported", url: "http://imported.test/", schedules }],
    testInstances: [],
    testSnapshots: [],
  });
  await uploadJson(product, file([daily]));
  await uploadJson(product, file([daily]));
  const objects = await product.rest.call("listTestObjects");
  const imported = objects.find(({ name }) => name === "Imported");
  const { items } = await product.rest.call("listSchedules", { params: { id: imported?.id ?? "" } });
  expect(items).toMatchObject([{ ...daily, paused: false }]);
  expect(items[0]?.next).toHaveLength(3);
  const exported = await (await fetch(`${product.address}/api/export?testObjectId=${imported?.id}`)).text();
  expect(exported).toContain("0 6 * * *");
  const wrong = { ...daily, time: { ...daily.time, cron: "61 * * * *" } };
  expect(await uploadJson(product, file([wrong]))).toMatchObject({
    status: 400,
    text: expect.stringMatching(/schedules\.0: The minute .* cannot be “61”/),
  });
});

test.each([
  [{ work: "fetch", time: { type: "cron", cron: "61 * * * *", time_zone: "UTC" } }, /minute .* cannot be “61”/],
  [{ work: "fetch", time: { type: "cron", cron: "0 9 * * *", time_zone: "Mars/Olympus" } }, /time zone/],
  [{ work: "fetch-path", time: hourly }, /which pages/],
  [{ work: "fetch", time: { type: "every", minutes: 0 } }, /minutes/],
])("%j is refused in words, and nothing is kept", async (body, words) => {
  const answer = await fetch(`${product.address}/api/testobjects/${objectId}/schedules`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(words);
});
