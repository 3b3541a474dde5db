import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createProgram } from "@web-tester/cli/program";
import { XMLParser } from "fast-xml-parser";
import type { Browser } from "playwright-core";
import { z } from "zod";
import { file, png } from "../support/asset-site.js";
import { launchBrowser } from "../support/browser.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** A release from start to end: staging differs from production in twelve ways, a person accepts them in the browser, and the check passes. */
const root = resolve(import.meta.dirname, "../..");
const program = join(root, "packages/cli/dist/main.js");
const names = ["t1", "t2", "t3", "t4", "markup", "title", "picture", "status", "gone", "new", "same"];
const stage = createStage();
let product: Product;
let production: Site;
let staging: Site;
let browser: Browser;
let folder = "";
const startedAt = new Date().toISOString();

function publish(site: Site): void {
  const page = (name: string, more = "") =>
    `<!doctype html><html><head><title>${name}</title><link rel="stylesheet" href="/s.css"></head>
<body><h1>${name}</h1>
<p>Words of ${name}</p>${more}
</body></html>`;
  site.pages.set("/", page("home", names.map((name) => `<a href="${site.url}${name}">${name}</a>`).join("")));
  for (const name of names) site.pages.set(`/${name}`, page(name));
  site.pages.set("/picture", page("picture", `<img src="/a.png" alt="">`));
  site.pages.set("/s.css", file("text/css", Buffer.from("p { color: blue }")));
  site.pages.set("/a.png", file("image/png", png(8, 8, 0xff0000)));
  site.pages.delete("/new");
}

/** The changes that make staging differ from production. */
const seeded: readonly ((site: Site) => void)[] = [
  ...["t1", "t2", "t3", "t4"].map((name, index) => (site: Site) => {
    const said = ["a price of ten", "another sentence", "somebody else", "nothing at all"][index] ?? "";
    edit(site, name, `Words of ${name}`, said);
  }),
  (site) => edit(site, "/", "Words of home", "Welcome to the new home"),
  (site) => edit(site, "markup", "<p>", `<p class="lead">`),
  (site) => edit(site, "title", "<title>title</title>", "<title>A better title</title>"),
  (site) => void site.pages.set("/s.css", file("text/css", Buffer.from("p { color: red }"))),
  (site) => void site.pages.set("/a.png", file("image/png", png(8, 8, 0x00ff00))),
  (site) => {
    const body = String(site.pages.get("/status"));
    site.pages.set("/status", (_request, response) => {
      response.writeHead(203, { "content-type": "text/html; charset=utf-8" });
      response.end(body);
    });
  },
  (site) => void site.pages.delete("/gone"),
  (site) => void site.pages.set("/new", "<!doctype html><h1>New</h1>"),
];

function edit(site: Site, name: string, from: string, to: string): void {
  const path = name.startsWith("/") ? name : `/${name}`;
  const before = String(site.pages.get(path));
  if (!before.includes(from)) throw new Error(`${path} has no ${from}`);
  site.pages.set(path, before.replace(from, to));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-release-"));
  [product, production, staging, browser] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({}),
    startSite({}),
    launchBrowser(),
  ]);
  publish(production);
  publish(staging);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await Promise.all([production.close(), staging.close(), rm(folder, { recursive: true })]);
});

async function run(...args: string[]): Promise<{ code: number; out: string; progress: string }> {
  const ran = { code: -1, out: "", progress: "" };
  const start = createProgram({
    env: { WEB_TESTER_URL: product.address, GITHUB_SHA: "0123abcd", GITHUB_REF_NAME: "main" },
    out: { write: (text) => (ran.out += text) },
    progress: { write: (text) => (ran.progress += text) },
    onInterrupt: () => undefined,
  });
  ran.code = await start(["node", "web-tester", ...args]);
  return ran;
}

const suite = z.object({
  testsuites: z.object({
    testsuite: z.object({ testcase: z.array(z.looseObject({ "@_classname": z.string(), "@_name": z.string() })) }),
  }),
});
async function junitOf(name: string): Promise<string[]> {
  const parser = new XMLParser({ ignoreAttributes: false, isArray: (tag) => tag === "testcase" });
  const { testcase } = suite.parse(parser.parse(await readFile(join(folder, name), "utf8"))).testsuites.testsuite;
  return testcase.map((one) => `${one["@_classname"]} ${one["@_name"]}`).toSorted();
}

/** Runs a program. @returns its exit code and all of its output */
function shell(command: string, args: string[], env: Record<string, string>, cwd = folder) {
  return new Promise<{ code: number | null; out: string }>((done, failed) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (out += part.toString()));
    child.once("error", failed);
    child.once("close", (code) => done({ code, out }));
  });
}

test("production is fetched and labelled; staging that says the same is clean", async () => {
  expect((await run("add", production.url, "--name", "production")).code).toBe(0);
  // one linked page does not exist yet, so the crawl reports a failure
  expect((await run("crawl", "production")).code).toBe(2);
  expect((await run("fetch", "production", "--label", "release 1.4")).code).toBe(0);
  expect((await run("add", staging.url, "--name", "staging")).code).toBe(0);
  const { code, out } = await run("check", "staging", "--against", "object:production");
  expect([code, out]).toEqual([0, expect.stringContaining("nothing differs")]);
});

test("twelve differences are exactly twelve cases, and red", async () => {
  for (const seed of seeded) seed(staging);
  expect(seeded).toHaveLength(12);
  const against = ["--against", "object:production", "--crawl", "--label", "release 1.5"];
  const { code, out } = await run("check", "staging", ...against, "--junit", join(folder, "red.xml"));
  expect([code, out]).toEqual([1, expect.stringContaining("12 findings to review")]);
  expect(await junitOf("red.xml")).toEqual([
    "changed /",
    "changed /markup",
    "changed /picture",
    "changed /status",
    "changed /t1",
    "changed /t2",
    "changed /t3",
    "changed /t4",
    "changed /title",
    "changed 10 pages, such as /",
    "gone /gone",
    "new /new",
  ]);
  const [check] = (await product.rest.call("listChecks", { query: {} })).items;
  expect(check).toMatchObject({ state: "waiting", commit: "0123abcd", branch: "main", against: "object:production" });
});

test("accepted in the browser, it is green without a fetch, and the badge says so", async () => {
  const [check] = (await product.rest.call("listChecks", { query: {} })).items;
  await stage.scene(async () => {
    await stage.page.goto("/checks");
    await expectSeen(stage.page.getByText("waits for review"));
    await stage.page
      .getByRole("link", { name: /^Review .*staging/ })
      .first()
      .click();
    await stage.button("Accept all").click();
    await expectSeen(stage.page.getByRole("heading", { name: "No difference waits for review" }));
  })();
  const asked = [production.requests.length, staging.requests.length];
  const { code, out } = await run("check", "staging", "--against", "object:production", "--no-fetch");
  expect([code, out]).toEqual([0, expect.stringContaining("all differences are accepted")]);
  expect([production.requests.length, staging.requests.length]).toEqual(asked);
  const accepted = await product.rest.call("getCheck", { params: { id: check?.id ?? "" } });
  expect(accepted).toMatchObject({ state: "accepted", decided_by: expect.any(String) });
  const id = accepted.testobject.id;
  const { url } = await product.rest.call("createBadge", { params: { id } });
  const badge = new URL(url).pathname;
  expect(await (await fetch(product.address + badge)).text()).toContain("staging: accepted");
  await product.rest.call("deleteBadge", { params: { id } });
  expect((await fetch(product.address + badge)).status).toBe(404);
});

test(
  "in the browser, only a badge that has an address can lose it, and nothing in use is replaced without a question",
  stage.scene(async () => {
    const { page, button } = stage;
    const [check] = (await product.rest.call("listChecks", { query: {} })).items;
    const params = { id: check?.testobject.id ?? "" };
    const madeAt = async () => (await product.rest.call("getBadge", { params })).created_at;
    await page.goto(`/objects/${params.id}/checks`);
    await expectSeen(button("Make an address"));
    expect(await button("Remove the address").count()).toBe(0);
    await button("Make an address").click();
    await expectSeen(page.getByRole("img", { name: "Badge" }));
    const first = await madeAt();
    expect(first).not.toBeNull();
    await page.reload();
    await expectSeen(page.getByText("Its address was made on"));
    const dialog = page.getByRole("dialog");
    await button("Make a new address").click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await madeAt()).toBe(first);
    await button("Make a new address").click();
    await dialog.getByRole("button", { name: "Make a new address" }).click();
    await until("another address", async () => (await madeAt()) !== first);
    await expectSeen(page.getByRole("img", { name: "Badge" }));
    await button("Remove the address").click();
    await dialog.getByRole("button", { name: "Remove the address" }).click();
    await expectSeen(button("Make an address"));
    expect(await madeAt()).toBeNull();
  }),
);

test("a check is rejected as a whole, and accepted as a whole", async () => {
  edit(staging, "same", "Words of same", "A difference of its own");
  expect((await run("check", "staging", "--against", "object:production")).code).toBe(1);
  const [check] = (await product.rest.call("listChecks", { query: {} })).items;
  const params = { id: check?.id ?? "" };
  const rejected = await product.rest.call("decideCheck", { params, body: { decision: "rejected", note: "Not yet" } });
  expect(rejected).toMatchObject({ state: "rejected", note: "Not yet" });
  expect((await run("review", "staging")).code).toBe(1);
  expect(await product.rest.call("decideCheck", { params, body: { decision: "accepted" } })).toMatchObject({
    ...{ state: "accepted", waiting: 0 },
  });
  expect((await run("review", "staging")).code).toBe(0);
});

test("what counts can be chosen", async () => {
  const check = (only: string) =>
    run("--json", "check", "staging", "--against", "label:release 1.5", "--no-fetch", "--only", only);
  expect((await check("status")).code).toBe(0);
  expect((await check("text")).code).toBe(1);
});

test("a check with an earlier fetch, by its number; with visual only what looks otherwise counts", async () => {
  edit(staging, "same", "<h1>", `<h1 data-x="1">`);
  expect((await run("check", "staging", "--against", "run:1", "--only", "visual")).code).toBe(0);
  // the fetch of the last check is run:1 now, and its markup differs from run:2
  expect((await run("check", "staging", "--against", "run:2", "--no-fetch")).code).toBe(1);
  edit(staging, "same", "A difference of its own", "Words that everybody sees");
  const { code, out } = await run("check", "staging", "--against", "run:1", "--only", "visual");
  expect([code, out]).toEqual([1, expect.stringMatching(/changed waits +\/same/)]);
  expect((await run("check", "staging", "--against", "run:99", "--no-fetch")).code).toBe(3);
});

test("an address to compare with is registered and crawled, and fetched again once it is known; a crawl keeps to its pages", async () => {
  const third = await startSite({});
  publish(third);
  expect(await run("check", third.url, "--max-pages", "3")).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /nothing differs\. The crawl of .* ended at its limit of pages, so pages may be missing/,
    ),
  });
  const objects = await product.rest.call("listTestObjects");
  const id = objects.find(({ url }) => url === third.url)?.id ?? "";
  expect((await product.rest.call("listTestInstances", { params: { id } })).total).toBe(3);
  const asked = third.requests.length;
  expect((await run("check", "production", "--against", third.url, "--fail-on", "new")).code).toBe(1);
  expect(third.requests.length).toBeGreaterThan(asked);
  const fourth = await startSite({ "/": "<h1>Another site</h1>" });
  expect((await run("check", "production", "--against", fourth.url)).code).toBe(1);
  expect((await product.rest.call("listTestObjects")).map(({ url }) => url)).toContain(fourth.url);
  await Promise.all([third.close(), fourth.close()]);
});

test("the other commands", async () => {
  const found = await run("search", "staging", "another sentence", "--json");
  expect(z.array(z.looseObject({ testInstanceUrl: z.string() })).parse(JSON.parse(found.out))[0]).toMatchObject({
    testInstanceUrl: `${staging.url}t2`,
  });
  expect(await run("diff", "staging", "label:release 1.5")).toMatchObject({
    code: 1,
    out: expect.stringContaining("Words that everybody sees"),
  });
  const exported = join(folder, "all.json");
  expect((await run("export", exported, "production")).code).toBe(0);
  expect((await run("import", exported)).code).toBe(0);
  expect(await run("open", "staging", "--print")).toMatchObject({ code: 0, out: expect.stringContaining("/objects/") });
});

test("the script of the documentation runs as it stands there", async () => {
  const documented = await readFile(join(root, "docs/ci.md"), "utf8");
  const script = /```sh\n(#!\/bin\/sh\n[^]*?)```/.exec(documented)?.[1] ?? "";
  await writeFile(join(folder, "check.sh"), script);
  const env = { WEB_TESTER_URL: product.address, WEB_TESTER: `${process.execPath} ${program}` };
  const { code, out } = await shell("sh", ["check.sh"], env);
  expect([code, out]).toEqual([
    expect.any(Number),
    expect.stringMatching(/###.*staging, compared with object:production/),
  ]);
  expect([0, 1]).toContain(code);
});

const ways = {
  "standard input": () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp"],
      env: { WEB_TESTER_URL: product.address },
      cwd: root,
    }),
  HTTP: () => new StreamableHTTPClientTransport(new URL("/api/mcp", product.address)),
};

test.each(Object.entries(ways))("an assistant asks what changed, over %s", async (_way, transport) => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport());
  const ask = async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = z
      .object({ content: z.array(z.object({ text: z.string() })) })
      .parse(await client.callTool({ name, arguments: args }));
    return content[0]?.text ?? "";
  };
  try {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["what_changed", "diff", "check", "search"]));
    expect(await ask("list_sites")).toContain("staging");
    const told = await ask("what_changed", { site: "staging", since: startedAt });
    const changed = z
      .looseObject({ changed: z.array(z.looseObject({ before: z.string().nullable(), last: z.string() })) })
      .parse(JSON.parse(told)).changed;
    expect(told).toContain("/t1");
    const diffs = await Promise.all(
      changed.flatMap(({ before, last }) => (before === null ? [] : [ask("diff", { older: before, newer: last })])),
    );
    expect(diffs.join("\n")).toContain("+ a price of ten");
    expect(await ask("check", { site: "staging", against: "previous", fetch: false })).toContain("outcome");
    expect(await ask("what_changed", { site: "nowhere", since: startedAt })).toMatch(/There is no test object/);
  } finally {
    await client.close();
  }
});

test("a client that is generated from the OpenAPI document works", async () => {
  const document = join(folder, "openapi.json");
  await writeFile(document, await (await fetch(`${product.address}/api/openapi.json`)).text());
  const generator = join(root, "node_modules/@hey-api/openapi-ts/bin/run.js");
  const generated = await shell(
    process.execPath,
    [generator, "-i", document, "-o", join(folder, "client")],
    {},
    folder,
  );
  expect(generated).toMatchObject({ code: 0 });
  await writeFile(
    join(folder, "use.ts"),
    `import { createTestObject, listTestObjects, listChecks, deleteTestObject } from "./client/sdk.gen";
import { client } from "./client/client.gen";
client.setConfig({ baseUrl: process.env.BASE, throwOnError: true });
const { data: made } = await createTestObject({ body: { name: "Generated", url: "http://generated.test/" } });
const { data: all } = await listTestObjects();
const { data: checks } = await listChecks({ query: { limit: 5 } });
await deleteTestObject({ path: { id: made.id } });
console.log(JSON.stringify({ made: made.name, found: all.some(({ id }) => id === made.id), checks: checks.items.length }));
`,
  );
  const used = await shell(
    process.execPath,
    ["--import", join(root, "tests/support/extensionless.mjs"), join(folder, "use.ts")],
    { BASE: product.address, NODE_NO_WARNINGS: "1" },
  );
  expect(used.code === 0 ? JSON.parse(used.out) : used.out).toEqual({ made: "Generated", found: true, checks: 5 });
  await until("its end", async () => {
    const objects = await product.rest.call("listTestObjects");
    return objects.every(({ name }) => name !== "Generated");
  });
});

test("a check that is accepted as a whole is so with what somebody had called a problem", async () => {
  edit(staging, "same", "</h1>", " and a problem</h1>");
  expect((await run("check", "staging", "--against", "object:production")).code).toBe(1);
  // a comparison by `diff` is not a check, so `review` does not choose it although it is newer
  await run("diff", "staging", "baseline", "label:release 1.5");
  expect((await run("review", "staging", "--problem", "all")).code).toBe(1);
  const [other] = (await product.rest.call("listChecks", { query: {} })).items;
  expect(other).toMatchObject({ state: "rejected" });
  await product.rest.call("decideCheck", { params: { id: other?.id ?? "" }, body: { decision: "accepted" } });
  expect((await run("review", "staging")).code).toBe(0);
});
