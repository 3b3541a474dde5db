import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { connect } from "@nats-io/transport-node";
import { budgets } from "@web-tester/contracts/limits";
import { changesPerMessageMax } from "@web-tester/contracts/messages";
import { endFetcherProcesses, startFetcherProcess } from "../support/faulty-fetcher.js";
import { invariantFaults, storedFiles } from "../support/invariants.js";
import { crawl, fetchAll, reached, register, runEnded, startCrawl, startFetch } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, slowly, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Every handler may run twice or be killed anywhere, as the database is the source of truth: the invariants hold after each fault. */
const pageCount = 60;
/** More pages than three commits can hold, so that a fetcher killed after its third commit leaves some undone. */
const pagesBeyondThreeCommits = 3 * changesPerMessageMax + pageCount;
/** Options for `rm` with retries, as the NATS server may create files in the folder meanwhile. */
const gone = { recursive: true, force: true, maxRetries: 20, retryDelay: 20 };

let site: Site;
let product: Product;
beforeEach(async () => {
  site = await startSite(slowly(manual(pageCount, "text"), 40));
});
afterEach(async () => {
  await site.close();
});

/**
 * Runs a fetch in which every page waits for one file, and disturbs it while it waits.
 * @param disturb receives the function that sends the file, also to later requests
 * @returns the files that are missing in the fetch's snapshots
 */
async function missingAfter(disturb: (answer: () => void) => Promise<void>) {
  for (const [path, page] of Object.entries(manual(pageCount, "text")))
    site.pages.set(path, `${page}<link rel="stylesheet" href="/held.css">`);
  const waiting: (() => void)[] = [];
  let isOpen = false;
  site.pages.set("/held.css", (_request, response) => {
    const answer = () => void response.writeHead(200, { "content-type": "text/css" }).end("p { color: red }");
    if (isOpen) answer();
    else waiting.push(answer);
  });
  const id = await register(product, site.url);
  await crawl(product, id);
  const runId = await startFetch(product, id);
  await until("a file that is asked for", () => waiting.length > 0);
  await disturb(() => {
    isOpen = true;
    for (const answer of waiting) answer();
  });
  expect(await runEnded(product, runId, 150_000)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
  expect(await invariantFaults(product)).toEqual([]);
  return product.db.query(
    `SELECT a.url, a.error FROM snapshot_asset a JOIN test_snapshot s ON s.files_id = a.list_id WHERE s.run_id = $1 AND a.content_hash IS NULL`,
    [runId],
  );
}

describe("with one fetcher under supervision", () => {
  beforeAll(async () => {
    product = await startProduct({}, { servers: "own" });
  });
  afterAll(async () => {
    await product.stop();
  });

  test("every message delivered twice: same rows, same counts", async () => {
    const bus = await connect({
      servers: new URL(product.stack.natsUrl).host,
      user: decodeURIComponent(new URL(product.stack.natsUrl).username),
      pass: decodeURIComponent(new URL(product.stack.natsUrl).password),
    });
    const seen = new Map<string, number>();
    const twin = bus.subscribe("work.>", {
      callback: (_error, message) => {
        const key = `${message.subject} ${message.string()}`;
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        // the copy has no message ID, so the stream does not drop it as a duplicate
        if (times === 1) bus.publish(message.subject, message.data);
      },
    });
    const id = await register(product, site.url);
    expect(await crawl(product, id)).toMatchObject({
      total: pageCount,
      completed: pageCount,
      failed: 0,
      found: pageCount,
    });
    expect(await fetchAll(product, id)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    await until("each message's copy", () => [...seen.values()].every((times) => times >= 2));
    expect(seen.size).toBeGreaterThan(10);
    twin.unsubscribe();
    await bus.drain();
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("fetcher killed while bodies are on their way", async () => {
    const id = await register(product, site.url);
    await crawl(product, id);
    let held = 0;
    let killed = false;
    for (const path of ["/p5.html", "/p25.html"]) {
      const whole = manual(pageCount, "text")[path] ?? "";
      site.pages.set(path, (_request, response) => {
        response.writeHead(200, { "content-type": "text/html", "content-length": Buffer.byteLength(whole) });
        if (killed) response.end(whole);
        else {
          held++;
          response.write(whole.slice(0, 20));
        }
      });
    }
    const runId = await startFetch(product, id);
    await until("a body that stays half sent", () => held > 0);
    killed = true;
    process.kill(product.pidOf("fetcher"), "SIGKILL");
    expect(await runEnded(product, runId)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("a fetcher told to end while a page's file is on its way keeps no page without it", async () => {
    const missing = await missingAfter(async (answer) => {
      const pid = product.pidOf("fetcher");
      process.kill(pid, "SIGTERM");
      await until("another fetcher", () => product.pidOf("fetcher") !== pid);
      answer();
    });
    expect(missing).toEqual([]);
  });

  test("crawler killed in the middle of a crawl, twice", async () => {
    const id = await register(product, site.url);
    const runId = await startCrawl(product, id);
    for (const completed of [5, 30]) {
      await reached(product, runId, completed);
      process.kill(product.pidOf("crawler"), "SIGKILL");
      await until("another crawler", () =>
        product.stack.parts().some(({ name, pid }) => name === "crawler" && pid !== null),
      );
    }
    expect(await runEnded(product, runId)).toMatchObject({
      total: pageCount,
      completed: pageCount,
      failed: 0,
      found: pageCount,
    });
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("NATS killed and started again", async () => {
    const id = await register(product, site.url);
    await crawl(product, id);
    const runId = await startFetch(product, id);
    await reached(product, runId, 5);
    process.kill(product.pidOf("nats"), "SIGKILL");
    expect(await runEnded(product, runId)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    expect(await invariantFaults(product)).toEqual([]);
  });

  test.each(["crawl", "fetch"])("NATS store deleted while a %s is going", async (kind) => {
    const id = await register(product, site.url);
    if (kind === "fetch") await crawl(product, id);
    const runId = kind === "fetch" ? await startFetch(product, id) : await startCrawl(product, id);
    await reached(product, runId, 5);
    await rm(join(product.dataDir, "nats"), gone);
    process.kill(product.pidOf("nats"), "SIGKILL");
    expect(await runEnded(product, runId)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    expect(await invariantFaults(product)).toEqual([]);
    // a fetch that is requested afterwards works at once
    expect(await fetchAll(product, id)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
  });

  test("NATS store deleted under a server that goes on", async () => {
    const id = await register(product, site.url);
    const runId = await startCrawl(product, id);
    await reached(product, runId, 5);
    await rm(join(product.dataDir, "nats"), gone);
    expect(await runEnded(product, runId)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    expect(await fetchAll(product, id)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    expect(await invariantFaults(product)).toEqual([]);
  });

  test.each(["crawl", "fetch"])("PostgreSQL killed and started again while a %s is going", async (kind) => {
    const id = await register(product, site.url);
    if (kind === "fetch") await crawl(product, id);
    const runId = kind === "fetch" ? await startFetch(product, id) : await startCrawl(product, id);
    await reached(product, runId, 5);
    process.kill(product.pidOf("postgres"), "SIGKILL");
    await until("PostgreSQL again", () => product.db.check().then(() => true));
    expect(await runEnded(product, runId)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("gateway killed right after it acknowledged", async () => {
    const id = await register(product, site.url);
    await crawl(product, id);
    const runId = await startFetch(product, id);
    process.kill(product.pidOf("gateway"), "SIGKILL");
    expect(await runEnded(product, runId)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    await until("the gateway again", () =>
      product.rest.call("getTestObject", { params: { id } }).then((object) => !Array.isArray(object)),
    );
    expect(await invariantFaults(product)).toEqual([]);
  });
});

describe("with fetchers of the test", () => {
  beforeAll(async () => {
    product = await startProduct({ FETCHERS: "0" }, { servers: "own" });
  });
  afterEach(endFetcherProcesses);
  afterAll(async () => {
    await product.stop();
  });

  test.each([
    { after: "blob", count: 3 },
    { after: "commit", count: 1 },
    { after: "commit", count: 3 },
  ] as const)("fetcher killed after its $after number $count", async (fault) => {
    const large = await startSite(slowly(manual(pagesBeyondThreeCommits, "text"), 5));
    const id = await register(product, large.url);
    await crawl(product, id);
    const filesBefore = (await storedFiles(product.stack.storageUrl)).length;
    const runId = await startFetch(product, id);
    const faulty = startFetcherProcess(product, fault);
    expect(await faulty.ended).toBe("SIGKILL");
    const [run] = await product.db.query<{ completed: number }>("SELECT completed FROM run WHERE id = $1", [runId]);
    // checks that the fault struck where it should: after bytes were stored without rows, or rows without an acknowledgement
    if (fault.after === "blob")
      expect((await storedFiles(product.stack.storageUrl)).length).toBeGreaterThan(filesBefore);
    else expect(run?.completed).toBeGreaterThan(0);
    expect(run?.completed).toBeLessThan(pagesBeyondThreeCommits);

    const healthy = startFetcherProcess(product);
    expect(await runEnded(product, runId)).toMatchObject({
      total: pagesBeyondThreeCommits,
      completed: pagesBeyondThreeCommits,
      failed: 0,
    });
    expect(await invariantFaults(product)).toEqual([]);
    healthy.child.kill("SIGTERM");
    await healthy.ended;
    await large.close();
  });

  test("a page that brings fetchers down is given up alone, in words", async () => {
    const pages = slowly(manual(12, "text"), 500);
    const small = await startSite(manual(12, "text"));
    const id = await register(product, small.url);
    await crawl(product, id);
    for (const [path, page] of Object.entries(pages)) small.pages.set(path, page);
    const runId = await startFetch(product, id);
    // as if four fetchers had died while working on these pages; the last two deaths are real
    await product.db.query("UPDATE test_snapshot SET attempts = 4 WHERE run_id = $1", [runId]);
    let fetcher = startFetcherProcess(product);
    let deaths = 0;
    small.pages.set("/p5.html", () => {
      deaths++;
      fetcher.child.kill("SIGKILL");
      fetcher = startFetcherProcess(product);
    });
    expect(await runEnded(product, runId, 180_000)).toMatchObject({ total: 12, completed: 12, failed: 1 });
    expect(deaths).toBe(2);
    const failed = await product.db.query(
      `SELECT split_part(i.url, '/', 4) AS page, s.error_code, s.error FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE s.run_id = $1 AND s.state = 'failed'`,
      [runId],
    );
    expect(failed).toEqual([
      {
        page: "p5.html",
        error_code: "worker_crashed",
        error: expect.stringContaining("stopped 6 times while it worked on this page"),
      },
    ]);
    expect(await invariantFaults(product)).toEqual([]);
    fetcher.child.kill("SIGTERM");
    await fetcher.ended;
    await small.close();
  }, 240_000);

  test("a fetcher stopped for longer than a page's time keeps no page without its files", async () => {
    // the expired leases on the fetcher's pages are not reclaimed meanwhile
    const env = () => ({ ...product.workerEnv(), RECONCILE_MS: "600000" });
    const { child, ended } = startFetcherProcess({ ...product, workerEnv: env });
    const missing = await missingAfter(async (answer) => {
      child.kill("SIGSTOP");
      // there is no way around waiting until the time for a page's files is over
      await new Promise((resolve) => setTimeout(resolve, budgets.httpDeadlineMs + 2_000));
      child.kill("SIGCONT");
      answer();
    });
    expect(missing).toEqual([]);
    child.kill("SIGTERM");
    await ended;
  });
});
