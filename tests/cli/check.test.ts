import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createProgram } from "@web-tester/cli/program";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { z } from "zod";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** The command line guards a release: a check of staging against production fails until somebody has accepted the differences. */
const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
let product: Product;
let production: Site;
let staging: Site;
let folder = "";

const publish = (site: Site, bodies: Record<string, string> = {}) => {
  site.pages.set("/", names.map((name) => `<a href="${site.url}${name}">${name}</a>`).join(""));
  for (const name of names) site.pages.set(`/${name}`, `<h1>${name}</h1><p>${bodies[name] ?? "Words"}</p>`);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-check-"));
  [product, production, staging] = await Promise.all([shareProduct(reachesLoopback), startSite({}), startSite({})]);
  publish(production);
  publish(staging);
  for (const [name, site] of Object.entries({ production, staging })) {
    const id = await register(product, site.url, name);
    const body = { noise_mode: "off" as const, asset_snapshots: false };
    await product.rest.call("updateTestObject", { params: { id }, body });
    await crawl(product, id);
    await fetchAll(product, id);
  }
});
afterAll(async () => {
  await product.stop();
  await Promise.all([production.close(), staging.close(), rm(folder, { recursive: true })]);
});

interface Ran {
  code: number;
  out: string;
  progress: string;
}

/** Runs a command line in this process. @param stop receives the function that interrupts the program as Ctrl-C does */
async function run(
  args: readonly string[],
  stop: (end: () => void) => void = () => undefined,
  onProgress: (text: string) => void = () => undefined,
): Promise<Ran> {
  const ran: Ran = { code: -1, out: "", progress: "" };
  const program = createProgram({
    env: { WEB_TESTER_URL: `${product.address}/` },
    out: { write: (text) => (ran.out += text) },
    progress: {
      write: (text) => {
        ran.progress += text;
        onProgress(text);
      },
    },
    onInterrupt: stop,
  });
  ran.code = await program(["node", "web-tester", ...args]);
  return ran;
}

const suite = z.object({
  testsuites: z.object({
    testsuite: z.object({
      "@_failures": z.string(),
      testcase: z.array(z.looseObject({ "@_classname": z.string(), "@_name": z.string() })),
    }),
  }),
});
async function junitOf(file: string) {
  const text = await readFile(join(folder, file), "utf8");
  expect(XMLValidator.validate(text)).toBe(true);
  const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "testcase" });
  return suite.parse(parser.parse(text)).testsuites.testsuite;
}
const idOf = async (name: string) =>
  (await product.rest.call("listTestObjects")).find((object) => object.name === name)?.id ?? "";

describe("check", () => {
  const against = ["check", "staging", "--against", "object:production"];

  test("two sites that say the same are clean", async () => {
    const { code, out } = await run(against);
    expect([code, out]).toEqual([0, expect.stringContaining("13 of 13 pages unchanged, nothing differs.")]);
  });

  test("differences are red, each once in JUnit, Markdown, HTML and JSON, whatever pages write", async () => {
    const evil = `</testcase>]]>&<script>alert(1)</script>\`|[x](javascript:1) \u0007`;
    publish(staging, { p2: "Other words", p3: "Other words", p4: evil });
    staging.pages.set("/p5", (_request, response) => void response.writeHead(404).end("gone"));
    staging.pages.set("/p6", (_request, response) => void response.writeHead(403).end("no"));
    const files = ["--junit", "a.xml", "--markdown", "a.md", "--html", "a.html", "--report", "a.json"];
    const { code, out, progress } = await run([
      ...against,
      ...files.map((part) => (part.startsWith("--") ? part : join(folder, part))),
      "--label",
      "release 1.4",
    ]);
    expect(code).toBe(1);
    expect(progress).toMatch(/Fetch staging: 13 of 13, 2 failed/);
    expect(out).toMatch(/^changed waits {4}2 pages, such as \/p2$/m);
    expect(out).toMatch(/4 findings to review\.\nReview: http/);
    const junit = await junitOf("a.xml");
    expect(junit["@_failures"]).toBe("4");
    expect(junit.testcase.map((one) => `${one["@_classname"]} ${one["@_name"]}`).toSorted()).toEqual([
      "changed /p4",
      "changed 2 pages, such as /p2",
      "failed /p6",
      "gone /p5",
    ]);
    const html = await readFile(join(folder, "a.html"), "utf8");
    expect(html).toContain("Other words");
    expect(html).not.toContain("<script>alert");
    const markdown = await readFile(join(folder, "a.md"), "utf8");
    // the report puts text from pages between backticks, where Markdown does not interpret it
    expect(markdown.replaceAll(/`[^`]*`/g, "")).not.toContain("javascript");
    expect(JSON.parse(await readFile(join(folder, "a.json"), "utf8"))).toMatchObject({ outcome: "differences" });
    const { items } = await product.rest.call("listRuns", { params: { id: await idOf("staging") } });
    expect(items.find(({ kind }) => kind === "snapshot-all")).toMatchObject({
      label: "release 1.4",
      started_by: "cli",
    });
  });

  test("a report that cannot be written is told, and keeps no other from being written", async () => {
    const files = ["--junit", join(folder, "a-file", "x.xml"), "--markdown", join(folder, "beside.md")];
    await writeFile(join(folder, "a-file"), "");
    const { code, progress, out } = await run([...against, "--no-fetch", ...files]);
    expect([code, progress]).toEqual([
      3,
      expect.stringMatching(/Cannot write the report to .*x\.xml: .*(EEXIST|ENOTDIR)/),
    ]);
    // the findings are printed all the same
    expect(out).toContain("compared with");
    expect(await readFile(join(folder, "beside.md"), "utf8")).toContain("production");
  });

  test("what makes it red can be chosen; pages that fail have a code of their own", async () => {
    expect((await run([...against, "--no-fetch", "--fail-on", "failed"])).code).toBe(2);
    expect((await run([...against, "--no-fetch", "--fail-on", "new"])).code).toBe(0);
    const { code, progress } = await run([...against, "--fail-on", "moon"]);
    expect([code, progress]).toEqual([3, expect.stringMatching(/Unknown: moon/)]);
  });

  test("accepting turns it green without a fetch; another difference makes it red again", async () => {
    const objectId = await idOf("staging");
    const { out } = await run(["--json", ...against, "--no-fetch"]);
    const { review } = z.object({ review: z.string() }).parse(JSON.parse(out));
    const runId = review.split("/").at(-2) ?? "";
    const requests = staging.requests.length;
    await product.rest.call("giveVerdict", { params: { id: runId }, body: { all: true, verdict: "accepted" } });
    const again = await run([...against, "--no-fetch", "--fail-on", "changed,new,gone"]);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("accepted")]);
    expect(staging.requests).toHaveLength(requests);
    publish(staging, { p2: "Other words", p3: "Other words", p7: "A difference of its own" });
    const red = await run([...against, "--fail-on", "changed"]);
    expect([red.code, red.out]).toEqual([
      1,
      expect.stringMatching(/changed accepted 2 pages[^]*changed waits {4}\/p7/),
    ]);
    expect(objectId).not.toBe("");
  });

  test("a page that somebody called a problem is red, though its kind of difference is accepted", async () => {
    const newest = async () => {
      const { code, out } = await run([...against, "--no-fetch", "--fail-on", "changed"]);
      return { code, out, params: { id: /runs\/([\w-]+)\/review/.exec(out)?.[1] ?? "" } };
    };
    const body = { all: true as const, verdict: "accepted" as const };
    await product.rest.call("giveVerdict", { ...(await newest()), body });
    const { code, params } = await newest();
    expect(code).toBe(0);
    const { items } = await product.rest.call("listReviewPages", { params, query: { q: "/p3" } });
    const problem = { instance_id: items[0]?.instance.id ?? "", verdict: "problem" as const, note: "not this one" };
    await product.rest.call("giveVerdict", { params, body: problem });
    const red = await newest();
    expect([red.code, red.out]).toEqual([1, expect.stringMatching(/changed problem {2,}\/p3/)]);
  });

  test("a page that differs in white space alone is red, as it waits in the review", async () => {
    publish(staging);
    staging.pages.set("/p8", "<h1>p8</h1>\n<p>Words</p>");
    const { code, out } = await run([...against, "--fail-on", "changed"]);
    expect([code, out]).toEqual([1, expect.stringMatching(/changed waits {4}\/p8/)]);
    expect(out).toContain("1 finding to review");
  });

  test("with the baseline: what was accepted there is clean from then on", async () => {
    publish(production, { p1: "A new price" });
    const first = await run(["check", "production"]);
    expect([first.code, first.out]).toEqual([1, expect.stringContaining("changed waits    /p1")]);
    const runId = /runs\/([\w-]+)\/review/.exec(first.out)?.[1] ?? "";
    await product.rest.call("giveVerdict", { params: { id: runId }, body: { all: true, verdict: "accepted" } });
    expect((await run(["check", "production"])).code).toBe(0);
  });
});

test("a release that gets the label that it is compared with is compared with the one before it that had it", async () => {
  const withLabel = ["check", "production", "--label", "main", "--against", "label:main", "--fail-on", "changed"];
  const requests = production.requests.length;
  const early = await run(withLabel);
  expect([early.code, early.progress]).toEqual([3, expect.stringMatching(/has the label “main” yet.*fetch OBJECT/)]);
  expect(production.requests).toHaveLength(requests);
  expect((await run(["fetch", "production", "--label", "main"])).code).toBe(0);
  expect((await run(withLabel)).code).toBe(0);
  publish(production, { p1: "A new price", p9: "Something broke" });
  const { code, out } = await run(withLabel);
  expect([code, out]).toEqual([1, expect.stringContaining("changed waits    /p9")]);
});

test("a fetch that was stopped is none of its label", async () => {
  const id = await idOf("production");
  const held: (() => void)[] = [];
  production.pages.set("/p3", (_request, response) => void held.push(() => response.end("<p>Half a release</p>")));
  const { runId } = await product.rest.call("snapshotAll", { params: { id } });
  await product.rest.call("updateRun", { params: { id: runId ?? "" }, body: { label: "halves" } });
  await until("the page to be asked for", () => Promise.resolve(held.length > 0));
  await product.rest.call("cancelRun", { params: { id: runId ?? "" } });
  held.forEach((answer) => answer());
  publish(production);
  const { code, progress } = await run(["check", "production", "--against", "label:halves"]);
  expect([code, progress]).toEqual([3, expect.stringMatching(/No finished fetch .* has the label “halves” yet/)]);
});

test("a check that compares nothing is not green", async () => {
  await product.rest.call("createTestObject", { body: { name: "nothing yet", url: `${staging.url}nowhere/` } });
  const { code, progress } = await run(["check", "nothing yet", "--no-fetch"]);
  expect([code, progress]).toEqual([3, expect.stringContaining("Nothing was compared")]);
  const { items } = await product.rest.call("listChecks", { query: { testobject_id: await idOf("nothing yet") } });
  expect(items.map(({ state }) => state)).toEqual(["failed"]);
  // each page would seem to be new
  for (const other of ["object:nothing yet", `${staging.url}nowhere/`]) {
    const against = await run(["check", "production", "--no-fetch", "--against", other]);
    expect([against.code, against.progress]).toEqual([
      3,
      expect.stringContaining("“nothing yet” has not been fetched"),
    ]);
  }
});

test("a check of a site that does not answer says why its crawl found nothing", async () => {
  const { url, close } = await startSite({});
  await close();
  const { code, progress } = await run(["check", url]);
  expect([code, progress]).toEqual([3, expect.stringMatching(/the crawl found none\. .*the connection was refused/)]);
});

test("without a fetch no site is registered", async () => {
  const unknown = `${staging.url}misspelt/`;
  for (const args of [["production", "--against", unknown], [unknown]]) {
    const { code, progress } = await run(["check", ...args, "--no-fetch"]);
    expect([code, progress]).toEqual([3, expect.stringContaining(`There is no test object “${unknown}”`)]);
  }
  expect((await product.rest.call("listTestObjects")).map(({ url }) => url)).not.toContain(unknown);
});

test("a fetch that goes on is waited for, and then another one looks at the pages as they are", async () => {
  const id = await idOf("production");
  const held: (() => void)[] = [];
  production.pages.set("/p2", (_request, response) => void held.push(() => response.end("<p>Before the release</p>")));
  const { runId } = await product.rest.call("snapshotAll", { params: { id } });
  await until("the old page to be asked for", () => Promise.resolve(held.length > 0));
  let said = "";
  const going = run(
    ["check", "production", "--against", "run:1", "--fail-on", "changed"],
    undefined,
    (text) => (said += text),
  );
  await until("it to wait", () => Promise.resolve(said.includes("Fetch production: waits for one that goes on")));
  production.pages.set("/p2", "<p>After it</p>");
  held.forEach((answer) => answer());
  const { code, out } = await going;
  expect([code, out]).toEqual([1, expect.stringContaining("changed waits    /p2")]);
  const { items } = await product.rest.call("listRuns", { params: { id } });
  expect(items.filter(({ kind }) => kind === "snapshot-all")[1]?.id).toBe(runId);
});

test("the first check of a site waits for the crawl that still finds its pages", async () => {
  const site = await startSite({ "/": `<a href="/late">late</a>`, "/later": "<p>Later</p>" });
  const held: (() => void)[] = [];
  site.pages.set("/late", (_request, response) => void held.push(() => response.end(`<a href="/later">later</a>`)));
  const id = await register(product, site.url, "crawled now");
  await product.rest.call("crawl", { params: { id } });
  await until("the crawl to be on its way", () => Promise.resolve(held.length > 0));
  let said = "";
  const going = run(["check", "crawled now"], undefined, (text) => (said += text));
  await until("it to wait", () => Promise.resolve(said.includes("Crawl crawled now: waits for one that goes on")));
  site.pages.set("/late", `<a href="/later">later</a>`);
  held.forEach((answer) => answer());
  expect(await going).toMatchObject({ code: 0, out: expect.stringContaining("3 of 3 pages unchanged") });
  await site.close();
});

test("a fetch says what changed, though its pages are compared a moment after it has ended", async () => {
  publish(production, Object.fromEntries(names.map((name) => [name, "Other words on every page"])));
  const { code, out } = await run(["fetch", "production"]);
  expect([code, out]).toEqual([0, expect.stringContaining("Fetch finished: 13 done, 0 failed, 12 changed")]);
});

test("an interrupt stops the run that goes on", async () => {
  for (const name of names)
    staging.pages.set(`/${name}`, (_request, response) => void setTimeout(() => response.end("<p>Slow</p>"), 2_000));
  let end = () => undefined as void;
  const going = run(["fetch", "staging"], (stop) => (end = stop));
  const id = await idOf("staging");
  const newest = async () =>
    (await product.rest.call("listRuns", { params: { id } })).items.find(({ kind }) => kind === "snapshot-all");
  await until("the fetch to run", async () => (await newest())?.state === "running");
  // leaves the command time to learn that its run has begun
  await sleep(500);
  end();
  expect(await going).toMatchObject({ code: 3, progress: expect.stringContaining("Stopped.") });
  expect((await newest())?.state).toBe("cancelled");
});

test.each([
  [["check", "nowhere"], /There is no test object “nowhere”/],
  [["check", "staging", "--against", "the moon"], /Cannot compare with/],
  [["check", "staging", "--against", "2999-01-01"], /is in the future/],
  [["check", "staging", "--label", ""], /The label is empty/],
  [["check", "staging", "--label", "x", "--no-fetch"], /Only a fetch can get a label/],
  [["fetch", "staging", "--label", "x".repeat(101)], /A label can have up to 100 characters/],
  [["--server", "http://127.0.0.1:9", "objects"], /Nothing answers at http:\/\/127\.0\.0\.1:9/],
  [["dance"], /unknown command/],
])("%j cannot run, and says why", async (args, words) => {
  const requests = staging.requests.length;
  const { code, progress } = await run(args);
  expect([code, progress]).toEqual([3, expect.stringMatching(words)]);
  expect(staging.requests).toHaveLength(requests);
});

test("a variable of a pipeline that is empty says nothing of a release", async () => {
  const { code } = await run(["check", "production", "--no-fetch", "--commit", "", "--branch", "", "--pipeline", ""]);
  expect([0, 1]).toContain(code);
  const { items } = await product.rest.call("listChecks", { query: { testobject_id: await idOf("production") } });
  expect(items[0]).toMatchObject({ commit: null, branch: null, pipeline_url: null });
});

test("it is a program of its own", async () => {
  const child = spawn(process.execPath, [resolve("packages/cli/dist/main.js"), "--json", "objects"], {
    cwd: resolve(import.meta.dirname, "../.."),
    env: { ...process.env, WEB_TESTER_URL: product.address },
  });
  let out = "";
  child.stdout.on("data", (part: Buffer) => (out += part.toString()));
  const code = await new Promise((end) => child.once("close", end));
  expect(code).toBe(0);
  expect(
    z
      .array(z.looseObject({ name: z.string() }))
      .parse(JSON.parse(out))
      .map(({ name }) => name),
  ).toEqual(expect.arrayContaining(["production", "staging"]));
});
