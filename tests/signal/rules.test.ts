import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
/** A page as many servers make it: something differs at every fetch. */
const page = (name: string, visit: number, body = "Words of this page") =>
  `<!doctype html><html><head><title>${name}</title><script nonce="n${visit}x${name}">start("tok${visit * 7919}a")</script></head>
<body><h1>${name}</h1><p class="served">Served at 12:0${visit % 10}:33 by us</p><p>${body}</p>
<a href="/${name}?sid=${visit * 1234567}">self</a><footer>© ${body === "Words of this page" ? 2025 : 2026} Us</footer></body></html>`;

let product: Product;
let site: Site;
let objectId = "";
let visit = 0;

function publish(edited: readonly string[] = []): void {
  visit += 1;
  site.pages.set("/", `<h1>Home</h1>${names.map((name) => `<a href="/${name}">${name}</a>`).join("")}`);
  for (const name of names)
    site.pages.set(`/${name}`, page(name, visit, edited.includes(name) ? `Edited ${visit}` : undefined));
}

async function lastRun() {
  const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 50 } });
  return items.find(({ kind }) => kind === "snapshot-all");
}

async function evaluated(runId: string | null): Promise<void> {
  if (runId === null) return;
  await until("the rules to be evaluated", async () => {
    const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 50 } });
    return items.find(({ id }) => id === runId)?.state === "finished";
  });
}

async function add(body: BodyInput<"createRule">) {
  const made = await product.rest.call("createRule", { params: { id: objectId }, body });
  await evaluated(made.runId);
  return made;
}

const noise: BodyInput<"createRule">[] = [
  { kind: "attribute", selector: "script", name: "nonce" },
  { kind: "text", pattern: 'start("*")' },
  { kind: "text", syntax: "re2", pattern: "Served at [0-9:]+", note: "The clock" },
  { kind: "attribute", selector: "a", name: "href", parameter: "sid" },
];

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite({})]);
  publish();
  objectId = await register(product, site.url);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  publish();
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const counts = async () => {
  const object = await product.rest.call("getTestObject", { params: { id: objectId } });
  return Array.isArray(object) ? undefined : object.status_counts;
};

describe("what does not count", () => {
  test("without rules every page changes at every fetch", async () => {
    expect(await lastRun()).toMatchObject({ changed: names.length });
    expect(await counts()).toMatchObject({ changed: names.length });
  });

  test("a preview says what a rule would do, and changes nothing", async () => {
    const one = await product.rest.call("previewRule", {
      params: { id: objectId },
      body: { kind: "element", selector: "html" },
    });
    expect(one).toMatchObject({ total: 12, looked: 12, silenced: 12, looked_last_run: 12, silenced_last_run: 12 });
    expect(one.hidden.length).toBeGreaterThan(0);
    const other = await product.rest.call("previewRule", {
      params: { id: objectId },
      body: noise[0] ?? { kind: "element" },
    });
    expect(other).toMatchObject({ looked: 12, silenced: 0 });
    expect(await lastRun()).toMatchObject({ changed: names.length });
  });

  test("rules hold for the history: it is looked at again, and nobody is told of changes", async () => {
    for (const body of noise) await add(body);
    expect(await lastRun()).toMatchObject({ changed: 0 });
    expect(await counts()).toMatchObject({ changed: 0 });
    const { total } = await product.rest.call("listChanges", {
      params: { id: objectId },
      query: { since: "2020-01-01T00:00:00Z" },
    });
    expect(total).toBe(0);
  });

  test("a fetch without an edit has no changes, and one with edits has those", async () => {
    publish();
    await fetchAll(product, objectId);
    expect(await lastRun()).toMatchObject({ changed: 0 });
    publish(["p3", "p7"]);
    await fetchAll(product, objectId);
    expect(await lastRun()).toMatchObject({ changed: 2 });
  });

  test("a comparison tells the lines that count from the others, and which rule says so", async () => {
    const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: {} });
    const id = items.find(({ url }) => url.endsWith("/p3"))?.id ?? "";
    const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id }, query: {} });
    const query = {
      a: testsnapshots[1]?.id ?? "",
      b: testsnapshots[0]?.id ?? "",
      context: 0,
      as: "formatted" as const,
    };
    const answer = await product.rest.call("getDiffHunks", { query });
    expect(answer).toMatchObject({ significant: expect.any(Number) });
    expect(answer.ignored).toBeGreaterThan(0);
    const lines = answer.hunks.flatMap((hunk) => hunk.lines);
    const counted = lines.filter(({ ignored }) => ignored === undefined).map(({ text }) => text);
    expect(counted.filter((text) => !/Edited|Words|©/.test(text))).toEqual([]);
    const clock = answer.rules?.find(({ title }) => title === "The clock")?.id;
    expect(lines.find(({ text }) => text.includes("Served at"))?.ignored).toBe(clock);
    expect(
      lines.every(({ ignored }) => ignored === undefined || answer.rules?.some((rule) => rule.id === ignored)),
    ).toBe(true);
  });

  test("a switched-off rule counts again, and a removed one", async () => {
    const { items } = await product.rest.call("listRules", { params: { id: objectId } });
    const clock = items.find(({ note }) => note === "The clock")?.id ?? "";
    const off = await product.rest.call("updateRule", { params: { id: clock }, body: { enabled: false } });
    await evaluated(off.runId);
    expect(await lastRun()).toMatchObject({ changed: names.length });
    const on = await product.rest.call("updateRule", { params: { id: clock }, body: { enabled: true, path: "/p*" } });
    await evaluated(on.runId);
    expect(await lastRun()).toMatchObject({ changed: 2 });
    const renamed = await product.rest.call("updateRule", { params: { id: clock }, body: { note: "Time" } });
    expect(renamed.runId).toBeNull();
    const gone = await product.rest.call("deleteRule", { params: { id: clock } });
    await evaluated(gone.runId);
    expect(await lastRun()).toMatchObject({ changed: names.length });
  });
});

describe("suggestions", () => {
  test("for a changed line, the narrowest rule that silences it comes first", async () => {
    const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: {} });
    const id = items.find(({ url }) => url.endsWith("/p1"))?.id ?? "";
    const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id }, query: {} });
    const pair = { a: testsnapshots[1]?.id ?? "", b: testsnapshots[0]?.id ?? "" };
    const { hunks } = await product.rest.call("getDiffHunks", { query: { ...pair, as: "formatted", context: 0 } });
    const clock = hunks.find(({ lines }) => lines.some(({ text }) => text.includes("Served at")));
    const { items: found } = await product.rest.call("suggestRules", {
      params: { id: objectId },
      body: { ...pair, as: "formatted", side: "b", line: clock?.bStart ?? 0 },
    });
    expect(found[0]).toMatchObject({
      kind: "text",
      syntax: "re2",
      pattern: expect.stringContaining("[0-9]{1,3}:[0-9]{1,3}"),
    });
    expect(found.map(({ kind }) => kind)).toContain("element");
    await add({ kind: "element", ...found[0] });
    expect(await lastRun()).toMatchObject({ changed: 2 });
  });
});

describe("what cannot be a rule", () => {
  test.each<[BodyInput<"createRule">, RegExp]>([
    [{ kind: "element", selector: "p:is(" }, /not a CSS selector/],
    [{ kind: "element" }, /needs a CSS selector/],
    [{ kind: "text", syntax: "re2", pattern: "(?=a)" }, /RE2's syntax/],
    [{ kind: "header", name: "date" }, /are not looked at/],
    [{ kind: "between", before: "a" }, /needs the text behind/],
  ])("%j is refused in words", async (body, words) => {
    await expect(product.rest.call("createRule", { params: { id: objectId }, body })).rejects.toThrow(words);
    await expect(product.rest.call("previewRule", { params: { id: objectId }, body })).rejects.toThrow(words);
  });

  test("one that is there already, also when it is made twice at once, is refused in words", async () => {
    const create = (body: BodyInput<"createRule">) =>
      product.rest.call("createRule", { params: { id: objectId }, body });
    const body = { kind: "element" as const, selector: ".made-twice", path: "/p1" };
    const both = await Promise.allSettled([create(body), create(body), create({ ...body, pattern: "" })]);
    const [made] = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(create({ ...body, note: "Again" })).rejects.toThrow(/such a rule already: it ignores the same/);
    const params = { id: made?.id ?? "" };
    await product.rest.call("updateRule", { params, body: { enabled: false } });
    await expect(create(body)).rejects.toThrow(/but it is switched off/);
    // one of another path, or of all test objects, is another rule; so is one after the first is deleted
    const others = [await create({ ...body, path: "" }), await create({ ...body, scope: "all" })];
    await expect(create({ ...body, path: "*" })).rejects.toThrow(/such a rule already/);
    const change = (id: string, more: BodyInput<"updateRule">) =>
      product.rest.call("updateRule", { params: { id }, body: more });
    await expect(change(others[0]?.id ?? "", { path: "/p1" })).rejects.toThrow(/but it is switched off/);
    await expect(change(others[0]?.id ?? "", { note: "All pages" })).resolves.toMatchObject({ note: "All pages" });
    for (const { id } of [params, ...others]) await product.rest.call("deleteRule", { params: { id } });
    await product.rest.call("deleteRule", { params: { id: (await create(body)).id } });
  });

  test("an unknown rule is not found", async () => {
    const params = { id: "0190b0f0-0000-7000-8000-000000000001" };
    await expect(product.rest.call("deleteRule", { params })).rejects.toThrow(/rule/);
  });
});
