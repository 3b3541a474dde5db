import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { api, type EndpointName } from "@web-tester/contracts/api";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { z } from "zod";
import { fromSchema, hostileValue, type Schema } from "../support/from-schema.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { file, png } from "../support/asset-site.js";
import { manual, startSite, type Site } from "../support/site.js";
import { uploadJson } from "../support/transfer.js";

/**
 * The running product against its own OpenAPI document: valid and invalid requests are generated from the document, and every
 * answer has a status, a type and a body that the document describes. Ajv validates them, independently of the product's schemas.
 */
const media = z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) }));
const operation = z.object({
  operationId: z.string(),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(["path", "query"]),
      required: z.boolean(),
      schema: z.record(z.string(), z.unknown()),
    }),
  ),
  requestBody: z.object({ content: media }).optional(),
  responses: z.record(z.string(), z.object({ content: media })),
});
const openApi = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });
type Operation = z.infer<typeof operation> & { method: string; path: string };

/** Calls that end something, change settings or load from a site: they use objects that no other call needs. */
const spending = /^(delete|cancel|update|crawl$|runSitemaps|snapshot|fetchTestSnapshot|createTestSnapshot)/;
/** Calls whose pictures a browser draws, which is slow: they get 4 requests instead of 40. */
const dear: readonly string[] = ["getVisualPictures", "getThumbnail"];
/** Calls that need not succeed here, since they need something that these tests do not make: each comment says what. */
const seldomFound: readonly string[] = [
  // pictures, which a comparison in a browser makes
  "getPicture",
  "getVisualPictures",
  "getThumbnail",
  // a changed file
  "getFileDiff",
  // a page that has changed according to a comparison: tests/cli/check-rows.test.ts
  "leaveOutAlike",
  // a message that was made
  "sendDelivery",
  // a page that moved
  "undoMove",
  // a line that differs
  "suggestRules",
  // a site with a login
  "tryLogin",
  // a run or an import that has not ended before it can be cancelled
  "cancelRun",
  "cancelImport",
  // a crawl that is running: tests/crawler/reports.test.ts
  "excludeInCrawl",
  // a check whose comparison has ended
  "decideCheck",
  // a product of its own, since the first token closes the product to callers without one: who-may.test.ts
  ...["createToken", "revokeToken", "signIn", "createShare", "revokeShare", "getShared"],
  // a deletion that can still be undone, and an event of a run: removals.test.ts, tests/watch/services.test.ts
  ...["undoRemoval", "listEventPages"],
];

let product: Product;
let site: Site;
let document: z.infer<typeof openApi>;
let judge: Ajv2020;
/** Ids by the second part of a path: `kept` of things that are only read, `spent` of things that may be changed or deleted. */
const kept: Record<string, string[]> = {};
const spent: Record<string, string[]> = {};
let asset = "";

beforeAll(async () => {
  const chapters = manual(4, "one");
  const pages = {
    ...chapters,
    "/p1.html": `${chapters["/p1.html"]}<img src="/a.png">`,
    "/a.png": file("image/png", png(4, 4, 1)),
  };
  [product, site] = await Promise.all([shareProduct(), startSite(pages)]);
  document = openApi.parse(await (await fetch(`${product.address}/api/openapi.json`)).json());
  judge = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  judge.addSchema(document, "openapi");
  const id = await register(product, site.url);
  await crawl(product, id);
  await fetchAll(product, id);
  for (const [path, page] of Object.entries(manual(4, "two"))) site.pages.set(path, page);
  await fetchAll(product, id);
  Object.assign(kept, await idsOf(id));
  await uploadJson(product, { testObjects: [], testInstances: [], testSnapshots: [] });
  kept["imports"] = (await product.rest.call("listImports")).items.map((job) => job.id);
  const files = await product.db.query<{ path: string }>(
    "SELECT encode(content_hash, 'hex') || '.' || extension AS path FROM snapshot_asset WHERE content_hash IS NOT NULL LIMIT 1",
  );
  asset = files[0]?.path ?? "";
  expect((await product.store.usage()).bytes).toBeGreaterThan(0);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

async function idsOf(id: string): Promise<Record<string, string[]>> {
  const { items } = await product.rest.call("listTestInstances", { params: { id } });
  const runs = await product.rest.call("listRuns", { params: { id } });
  const snapshots = await Promise.all(
    items.map(async (item) => (await product.rest.call("getTestInstance", { params: { id: item.id } })).testsnapshots),
  );
  const made = await product.rest.call("createRule", { params: { id }, body: { kind: "element", selector: "i" } });
  const paused = { work: "crawl" as const, time: { type: "every" as const, minutes: 60 }, paused: true };
  const mail = { kind: "email" as const, name: "Nobody", to: ["a@example.org"], enabled: false };
  const channel = await product.rest.call("createChannel", { body: mail });
  const route = await product.rest.call("createRoute", { body: { channel_id: channel.id, testobject_id: id } });
  const check = await product.rest.call("startCheck", { params: { id }, body: {} });
  const feed = await product.rest.call("createFeed", { body: { testobject_id: id } });
  const scheduled = await product.rest.call("createSchedule", { params: { id }, body: paused });
  return {
    rules: [made.id],
    schedules: [scheduled.id],
    channels: [channel.id],
    routes: [route.id],
    feeds: [feed.id],
    checks: [check.id],
    testobjects: [id],
    testinstances: items.map((item) => item.id),
    testsnapshots: snapshots.flat().map((snapshot) => snapshot.id),
    runs: runs.items.map((run) => run.id),
  };
}

/** Replaces the ids in `spent` by those of two new objects, whose pages have a snapshot each that is not fetched yet. */
async function makeSpare(): Promise<void> {
  for (const kind of Object.keys(spent)) delete spent[kind];
  for (const path of ["p0.html", "p2.html"]) {
    const id = await register(product, `${site.url}${path}`, "Spare");
    await crawl(product, id);
    const { items } = await product.rest.call("listTestInstances", { params: { id } });
    for (const { id: testinstance_id } of items)
      await product.rest.call("createTestSnapshot", { body: { testinstance_id } });
    for (const [kind, ids] of Object.entries(await idsOf(id))) (spent[kind] ??= []).push(...ids);
  }
}

interface Call {
  path: string;
  body: string | undefined;
}

/** Generators for the fields of bodies whose schema allows more than the product accepts. */
const fields = {
  url: fc.webUrl(),
  language: fc.constantFrom("", "de", "pt-BR"),
  time_zone: fc.constantFrom("", "UTC", "Europe/Berlin"),
  viewport: fc.constantFrom("", "390x844@3 mobile"),
  user_agent: fc.constantFrom("", "Tester/1"),
  // a rule for all objects would hold for those of other suites, too
  scope: fc.constant("object"),
  request_headers: fc.constantFrom([], ["X-Token: a"]),
  login_steps: fc.constantFrom([], [{ do: "open", url: "http://site.test/login" }]),
};

/** The query parameters that a call needs although the document says that each may be left out. */
const together = (path: string): readonly string[] => {
  if (path.startsWith("/api/diff")) return ["a", "b"];
  if (path.startsWith("/api/search")) return ["testobject_id"];
  return path.endsWith("/trace") ? ["line"] : [];
};

/**
 * Generates requests of one operation: each part as the document says, or hostile.
 * @param right whether to use no hostile values, and only the parameters that are needed, with ids that exist: such a request succeeds
 */
function callsOf(
  { operationId, parameters, requestBody, path, method }: Operation,
  right: boolean,
): fc.Arbitrary<Call> {
  const pool = spending.test(operationId) ? spent : kept;
  const ids = (kind: string) =>
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constantFrom(
          ...(pool[kind] ?? kept[kind] ?? []),
          ...(pool[kind] === undefined && kept[kind] === undefined ? ["x"] : []),
        ),
      },
      { weight: right ? 0 : 1, arbitrary: fc.uuid() },
    );
  const valueOf = ({ name, schema }: { name: string; schema: Schema }): fc.Arbitrary<unknown> => {
    if (name === "local_path") return fc.oneof(fc.constant(asset), fromSchema(schema, { ids: ids("testsnapshots") }));
    if (name === "id") return ids(path.split("/")[2] ?? "");
    if (name === "testobject_id" || name === "testObjectId") return ids("testobjects");
    if (/instance/.test(name)) return ids("testinstances");
    if (/^(a|b|snapshot\d?)$/.test(name)) return ids("testsnapshots");
    // the first lines, in ascending order: every page has some
    if (right && path.endsWith("/lines")) return name === "from" ? fc.constant(1) : fc.integer({ min: 1, max: 5 });
    if (right && name === "line") return fc.constant(1);
    if (name === "q") return fc.oneof(fc.constantFrom("Chapter", "two"), fromSchema(schema, { ids: ids("") }));
    return fromSchema(schema, { ids: ids("testinstances") });
  };
  const isNeeded = ({ name, required }: { name: string; required: boolean }) =>
    required || (right && together(path).includes(name));
  const parts = parameters.map((parameter) => ({
    ...parameter,
    value: fc.oneof(
      { weight: right && !isNeeded(parameter) ? 0 : 6, arbitrary: valueOf(parameter) },
      { weight: isNeeded(parameter) ? 0 : 3, arbitrary: fc.constant(undefined) },
      { weight: right ? 0 : 1, arbitrary: hostileValue() },
    ),
  }));
  const schema = requestBody?.content["application/json"]?.schema;
  const body =
    method === "get"
      ? fc.constant(undefined)
      : fc.oneof(
          {
            weight: 6,
            arbitrary:
              schema === undefined
                ? fc.constant({})
                : fc.oneof(...rightBodies(operationId), fromSchema(schema, { ids: ids("testinstances"), fields })),
          },
          { weight: right ? 0 : 1, arbitrary: hostileValue() },
        );
  return fc.tuple(fc.tuple(...parts.map((part) => part.value)), body).map(([values, sent]) => {
    const query = new URLSearchParams();
    let filled = path;
    for (const [index, part] of parts.entries()) {
      const value = values[index];
      const text = typeof value === "string" ? value.toWellFormed() : JSON.stringify(value);
      if (part.in === "path") filled = filled.replace(`{${part.name}}`, encodeURIComponent(text ?? "x") || "x");
      else if (value !== undefined) query.append(part.name, text ?? "");
    }
    const search = query.toString();
    return {
      // "." and ".." alone are not names but steps in a path
      path: filled.replaceAll(/\/\.{1,2}(?=\/|$)/g, "/x") + (search === "" ? "" : `?${search}`),
      body: sent === undefined ? undefined : JSON.stringify(sent),
    };
  });
}

/** Bodies that the product accepts, for operations of which a body that only fits the schema may be refused. */
function rightBodies(operationId: string): fc.Arbitrary<unknown>[] {
  const nothing = { testObjects: [], testInstances: [], testSnapshots: [] };
  const rule = { kind: "attribute", selector: "a", name: "href", parameter: "sid" };
  const bodies: Record<string, unknown> = {
    importData: nothing,
    createChannel: { kind: "email", name: "Nobody", to: ["a@example.org"], enabled: false },
    updateChannel: { name: "Still nobody" },
    createRoute: { channel_id: kept["channels"]?.[0] },
    updateRoute: { path: "/a" },
    createFeed: {},
    createSchedule: { work: "crawl", time: { type: "every", minutes: 60 }, paused: true },
    previewSchedule: { work: "crawl", time: { type: "every", minutes: 60 } },
    updateSchedule: { paused: true },
    createRule: rule,
    previewRule: rule,
    findNoise: {},
    startComparison: {},
    updateRun: { label: "release 1.4" },
    // the rules between options, as of an element to wait for, are not in the schema
    createTestObject: { name: "Plain", url: "http://site.test/" },
    // a change of the name alone always succeeds
    updateTestObject: { name: "Renamed" },
    startCheck: { commit: "abc", branch: "main" },
    updateCheck: {},
    decideCheck: { decision: "rejected" },
    // a verdict is on exactly one of several things, which the schema does not say
    giveVerdict: { all: true, verdict: "accepted" },
    takeVerdictBack: { all: true },
    updateRule: { enabled: false, note: "Off" },
  };
  return operationId in bodies ? [fc.constant(bodies[operationId])] : [];
}

const validators = new Map<string, ValidateFunction>();

/** Says what the document does not describe in an answer; null if it describes all of it. */
function unknownIn(
  { path, method, responses }: Operation,
  { status, type, text }: { status: number; type: string; text: string },
): string | null {
  if (status === 500) return `HTTP 500: ${text}`;
  const content = responses[status]?.content;
  if (content === undefined) return `HTTP ${status} is not in the document: ${text.slice(0, 300)}`;
  const name = Object.keys(content).find(
    (one) => type.startsWith(one) || (one === "application/octet-stream" && type !== ""),
  );
  if (name === undefined)
    return `HTTP ${status} has the type ${type}, the document says ${Object.keys(content).join(", ")}`;
  if (name !== "application/json") return null;
  const pointer = ["paths", path, method, "responses", String(status), "content", name, "schema"]
    .map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1"))
    .join("/");
  const reference = `openapi#/${encodeURI(pointer)}`;
  const validate = validators.get(reference) ?? judge.compile({ $ref: reference });
  validators.set(reference, validate);
  if (validate(JSON.parse(text))) return null;
  return `HTTP ${status} is not what the document says: ${judge.errorsText(validate.errors)}: ${text.slice(0, 300)}`;
}

async function ask(method: string, { path, body }: Call) {
  const response = await fetch(product.address + path, {
    method: method.toUpperCase(),
    redirect: "manual",
    ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() };
}

describe("every call answers as the document says", () => {
  test.each(Object.keys(api) as EndpointName[])("%s", async (name) => {
    const found = operationOf(name);
    if (spending.test(name)) await makeSpare();
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(fc.oneof(callsOf(found, true), callsOf(found, false)), async (call) => {
        const answer = await ask(found.method, call);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect(unknownIn(found, answer)).toBeNull();
      }),
      { numRuns: dear.includes(name) ? 4 : 40, endOnFailure: true },
    );
    const hasSucceeded = () => [...statuses.keys()].some((status) => status < 300);
    // at least one request must succeed, whatever the random ones were
    for (const call of fc.sample(callsOf(found, true), 40)) {
      if (hasSucceeded()) break;
      const { status } = await ask(found.method, call);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const succeeded = hasSucceeded();
    if (!seldomFound.includes(name)) expect([name, [...statuses], succeeded]).toEqual([name, [...statuses], true]);
  });
});

function operationOf(name: string): Operation {
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, found] of Object.entries(operations))
      if (found.operationId === name) return { ...found, method, path };
  throw new Error(`The document has no operation ${name}`);
}

test.each([
  ["/api/testobjects/{testobjects}/testinstances", { items: [], hasMore: false }],
  ["/api/testinstances/{testinstances}", { testsnapshots: [] }],
])("%s has nothing far beyond its end", async (path, nothing) => {
  const address = path.replace(/\{(\w+)\}/, (_, kind: string) => kept[kind]?.[0] ?? "");
  const answer = await fetch(`${product.address}${address}?offset=${Number.MAX_SAFE_INTEGER}`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject(nothing);
});

test("the judge sees what the document does not know", async () => {
  const found = operationOf("listTestObjects");
  const answer = await ask("get", { path: "/api/testobjects", body: undefined });
  expect(unknownIn(found, answer)).toBeNull();
  const objects = z.array(z.record(z.string(), z.unknown())).parse(JSON.parse(answer.text));
  const spoilt = (change: Record<string, unknown>) => ({
    ...answer,
    text: JSON.stringify(objects.map((object) => ({ ...object, ...change }))),
  });
  expect(unknownIn(found, spoilt({ name: 7 }))).toMatch(/name must be string/);
  expect(unknownIn(found, spoilt({ id: undefined }))).toMatch(/required property 'id'/);
  expect(unknownIn(found, spoilt({ auth_password_sealed: "x" }))).toMatch(/additional properties/);
  expect(unknownIn(found, { ...answer, status: 418 })).toMatch(/418 is not in the document/);
  expect(unknownIn(found, { ...answer, type: "text/html" })).toMatch(/has the type text\/html/);
  expect(unknownIn(found, { ...answer, status: 500 })).toMatch(/HTTP 500/);
});
