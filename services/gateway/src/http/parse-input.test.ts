import { describe, expect, test } from "@jest/globals";
import { api } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import { z } from "zod";
import { describeIssue, invalidInput, parseInput, type RawInput } from "./parse-input.js";

const id = "0199f3a0-0000-7000-8000-000000000000";
const raw = (part: Partial<RawInput>): RawInput => ({ params: {}, query: {}, body: undefined, ...part });

function faultOf(run: () => unknown): AppError {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error("nothing was refused");
}

test("gives parsed values: trimmed, coerced, with defaults, without what nobody asked for", () => {
  expect(parseInput("createTestObject", raw({ body: { name: " a ", url: " http://a/ ", admin: true } })).body).toEqual({
    name: "a",
    url: "http://a/",
  });
  expect(parseInput("listTestInstances", raw({ params: { id }, query: { offset: "40" } })).query).toEqual({
    limit: 20,
    offset: 40,
  });
  expect(
    parseInput("updateTestObject", raw({ params: { id }, body: { exclude_list: [" /a* ", "", "  "] } })).body,
  ).toEqual({ exclude_list: ["/a*"] });
  expect(parseInput("getTestObject", raw({ params: { id: "anything" } })).params).toEqual({ id: "anything" });
});

test("what was read and is sent back as a whole changes what can be set, and a misspelt field is refused", () => {
  const change = (body: object) => parseInput("updateTestObject", raw({ params: { id }, body })).body;
  const read = { id, created_at: "2026-01-31T12:00:00Z", instances_total: 4, name: "A site", keep_days: 30 };
  expect(change(read)).toEqual({ name: "A site", keep_days: 30 });
  expect(faultOf(() => change({ ...read, keep_day: 30 })).message).toBe(
    "keep_day: is not a field of this call; “keep_days” is.",
  );
});

test("each misspelt field of a strict body is named with the one that was meant, and the others together", () => {
  const body = { keep_day: 30, exclude_lsit: [], admin: true, colour: 1 };
  expect(faultOf(() => parseInput("updateTestObject", raw({ params: { id }, body }))).details).toEqual([
    { path: "body.keep_day", message: "is not a field of this call; “keep_days” is" },
    { path: "body.exclude_lsit", message: "is not a field of this call; “exclude_list” is" },
    { path: "body", message: "must not have “admin”, “colour”" },
  ]);
});

test("a site is registered with its options, and one that is misspelt is refused", () => {
  const create = (body: object) =>
    parseInput("createTestObject", raw({ body: { name: "a", url: "http://a/", ...body } }));
  expect(create({ exclude_list: ["/a*"], keep_days: 30 }).body).toMatchObject({ exclude_list: ["/a*"], keep_days: 30 });
  expect(faultOf(() => create({ exclude_lsit: ["/a*"] })).message).toBe(
    "exclude_lsit: is not a field of this call; “exclude_list” is.",
  );
  expect(faultOf(() => create({ keep_days: "x" })).message).toMatch(/^keep_days: /);
  // what the answer has, and what a client adds, is left alone
  expect(create({ history: [], removed: null, description: "ours", admin: true, auth: "x" }).body).toEqual({
    name: "a",
    url: "http://a/",
  });
});

test("a time that the database does not know is refused in words, and none that it knows", () => {
  const from = (time: string) => () => parseInput("listAudit", raw({ query: { from: time } }));
  for (const time of [
    "0000-01-01T00:00:00Z",
    "2026-01-01T00:00:00+16:00",
    "2026-01-01T00:00:00-21:54",
    `2026-01-01T00:00:00.${"1".repeat(3_000)}Z`,
  ])
    expect(faultOf(from(time)).details).toEqual([
      { path: "query.from", message: expect.stringMatching(/^must be a time from the year 1 on/) },
    ]);
  for (const time of [
    "0001-01-01T00:00:00+15:59",
    "9999-12-31T23:59:59-15:59",
    "2026-01-01T00:00:00.123456789Z",
    "2026-01-01T00:00:00-00:00",
  ])
    expect(from(time)()).toMatchObject({ query: { from: time } });
});

test("a number that is left empty was not given, and is not 0", () => {
  const query = (given: Record<string, string>) => parseInput("search", raw({ query: { q: "", ...given } })).query;
  expect(query({ idx: "0" })).toMatchObject({ idx: 0 });
  for (const empty of ["", " "]) {
    expect(query({ idx: empty, time_ms: empty, limit: empty, cursor: "" })).toEqual({ ...query({}), cursor: "" });
    const bulk = raw({ params: { id }, query: { idx1: empty, idx2: "1" } });
    expect(faultOf(() => parseInput("getBulkDiff", bulk)).message).toBe("idx1: is missing; send a number.");
  }
});

describe("what a deletion would otherwise leave out without a word is refused", () => {
  const remove = (part: Partial<RawInput>) => () => parseInput("deleteAll", raw({ params: { id }, ...part }));
  test("a field of the query in the body", () => {
    const fault = faultOf(remove({ body: { undo_s: 20 } }));
    expect(fault.message).toBe("undo_s: belongs in the query (?undo_s=…), not in the body.");
    expect(fault.details).toEqual([{ path: "body.undo_s", message: expect.any(String) }]);
  });
  test("a name in the query that it does not know", () => {
    expect(faultOf(remove({ query: { undo: "20" } })).message).toBe("query: must not have “undo”.");
  });
  test("but what it knows, and a body that says nothing of the query", () => {
    expect(remove({ query: { undo_s: "20" }, body: { note: "all" } })().query).toEqual({ undo_s: 20 });
    expect(remove({ body: {} })().query).toEqual({ undo_s: 0 });
  });
});

test.each([
  ["previewRule", { kind: "element", selector: "p", url: "/news/*" }, "url"],
  ["createSchedule", { work: "fetch", time: { type: "every", minutes: 5 }, quietHours: null }, "quietHours"],
  ["createRoute", { channel_id: id, object_id: id }, "object_id"],
  ["updateRoute", { muted: "2026-01-31T12:00:00Z" }, "muted"],
  ["createChannel", { kind: "slack", name: "a", url: "http://a/", active: false }, "active"],
  ["updateTestObject", { exclude: ["/a"] }, "exclude"],
  ["updateRun", { label: "a", note: "b" }, "note"],
  ["findNoise", { aply: true }, "aply"],
  ["createShare", { kind: "review", run_id: id, days: 1 }, "days"],
] as const)("%s refuses %j, of which it would do something else than was meant", (name, body, word) => {
  const params = api[name].path.includes("{id}") ? { id } : {};
  expect(faultOf(() => parseInput(name, raw({ params, body }))).message).toBe(`body: must not have “${word}”.`);
});

test.each([
  ["startComparison", { form: { type: "label", label: "main" } }, "form", "from"],
  ["startComparison", { onli: ["text"] }, "onli", "only"],
  ["startCheck", { failOn: ["new"] }, "failOn", "fail_on"],
  ["takeVerdictBack", { all: true, givenAt: "2026-01-31T12:00:00Z" }, "givenAt", "given_at"],
  ["createToken", { name: "ci", role: "viewer", expires: "2026-01-31T12:00:00Z" }, "expires", "expires_at"],
  ["createFeed", { testobjectId: id }, "testobjectId", "testobject_id"],
  ["createRule", { kind: "element", selector: "p", paths: "/news/*" }, "paths", "path"],
  ["updateRule", { enable: false }, "enable", "enabled"],
  ["updateSchedule", { pause: true }, "pause", "paused"],
  ["updateChannel", { enable: false }, "enable", "enabled"],
  ["updateCheck", { runId: id }, "runId", "run_id"],
  ["decideCheck", { decision: "accepted", notes: "a" }, "notes", "note"],
  ["suggestRules", { a: id, b: id, lines: 3 }, "lines", "line"],
] as const)("%s refuses %j and names the field that was meant instead of %s", (name, body, word, meant) => {
  const params = api[name].path.includes("{id}") ? { id } : {};
  expect(faultOf(() => parseInput(name, raw({ params, body }))).message).toBe(
    `${word}: is not a field of this call; “${meant}” is.`,
  );
});

test.each([
  ["createSchedule", { work: "fetch" }, "time", { type: "every", minutes: 60 }, "time_zone"],
  ["updateSchedule", {}, "time", { type: "cron", cron: "0 6 * * *", time_zone: "UTC" }, "minutes"],
  ["updateSchedule", {}, "quiet", { from: "22:00", until: "06:00", time_zone: "UTC" }, "days"],
  ["createRoute", { channel_id: id }, "cadence", { type: "hourly" }, "at"],
  ["updateRoute", {}, "cadence", { type: "daily", at: "08:00", time_zone: "UTC" }, "day"],
] as const)("%s %j refuses in its %s %j a field that belongs elsewhere: %s", (name, rest, field, value, word) => {
  const parse = (given: object) =>
    parseInput(name, raw({ params: api[name].path.includes("{id}") ? { id } : {}, body: { ...rest, [field]: given } }));
  expect(parse(value).body).toMatchObject({ [field]: value });
  const { message } = faultOf(() => parse({ ...value, [word]: 1 }));
  expect(message).toBe(`${field}: must not have “${word}”.`);
});

describe("an id in the path that cannot name anything is not found", () => {
  test.each([
    ["", "listTestInstances", "test object"],
    ["1", "getTestInstance", "instance"],
    ["../x", "getTestSnapshot", "snapshot"],
    ["x".repeat(500), "cancelRun", "run"],
  ] as const)("%s", (value, name, word) => {
    const fault = faultOf(() => parseInput(name, raw({ params: { id: value } })));
    expect(fault.code).toBe("not_found");
    expect(fault.message).toContain(`no ${word} with the id`);
    expect(fault.message.length).toBeLessThan(300);
  });
});

describe("faults name the field and say what to do", () => {
  const create = (body: unknown) => () => parseInput("createTestObject", raw({ body }));
  const list = (query: Record<string, unknown>) => () =>
    parseInput("listTestInstances", raw({ params: { id }, query }));
  test.each<[string, () => unknown, { path: string; message: RegExp }[]]>([
    ["no body", create(undefined), [{ path: "body", message: /^is missing; send a JSON object/ }]],
    ["a list for a body", create([]), [{ path: "body", message: /must be an object, not an array/ }]],
    ["null for a body", create(null), [{ path: "body", message: /must be an object, not null/ }]],
    ["a missing field", create({ name: "a" }), [{ path: "body.url", message: /^is missing; send a string/ }]],
    [
      "a wrong type",
      create({ name: 5, url: "http://a/" }),
      [{ path: "body.name", message: /must be a string, not a number/ }],
    ],
    [
      "two faults",
      create({ name: " ", url: "ftp://a" }),
      [
        { path: "body.name", message: /^Enter a name$/ },
        { path: "body.url", message: /http:\/\/ or https:\/\// },
      ],
    ],
    ["nothing in a field", create({ name: "a", url: "" }), [{ path: "body.url", message: /^Enter a URL$/ }]],
    [
      "a name that looks empty",
      create({ name: "\u200B\u3164", url: "http://a/" }),
      [{ path: "body.name", message: /^Enter a name$/ }],
    ],
    [
      "too long",
      create({ name: "x".repeat(201), url: "http://a/" }),
      [{ path: "body.name", message: /^must have at most 200 characters$/ }],
    ],
    [
      "a field without which all instances would be meant",
      () => parseInput("deleteSelected", raw({ params: { id }, body: { instance_ids: [id] } })),
      [{ path: "body", message: /^must not have “instance_ids”$/ }],
    ],
    [
      "a time without a zone",
      () => parseInput("listChanges", raw({ params: { id }, query: { since: "2026-01-31" } })),
      [{ path: "query.since", message: /^must be a time with a time zone, such as 2026-/ }],
    ],
    [
      "a kind that is none",
      () => parseInput("startComparison", raw({ params: { id }, body: { from: { type: "nobody" } } })),
      [{ path: "body.from.type", message: /^cannot be the text "nobody"$/ }],
    ],
    [
      "nothing in a list",
      () => parseInput("snapshotSelected", raw({ params: { id }, body: { ids: [] } })),
      [{ path: "body.ids", message: /^must have at least 1 entry$/ }],
    ],
    ["U+0000", create({ name: "a\0b", url: "http://a/" }), [{ path: "body.name", message: /U\+0000/ }]],
    ["no number", list({ limit: "many" }), [{ path: "query.limit", message: /must be a number, not the text "many"/ }]],
    ["a number too large", list({ limit: "5000" }), [{ path: "query.limit", message: /^must be at most 1000$/ }]],
    [
      "a number larger than all",
      () => parseInput("updateTestObject", raw({ params: { id }, body: { crawl_pages_max: Infinity } })),
      [{ path: "body.crawl_pages_max", message: /must be a number, not one that is too large/ }],
    ],
    [
      "a misspelt field of a check, which would take its error back",
      () => parseInput("updateCheck", raw({ params: { id }, body: { eror: "It broke" } })),
      [{ path: "body.eror", message: /^is not a field of this call; “error” is$/ }],
    ],
    ["a fraction", list({ offset: "1.5" }), [{ path: "query.offset", message: /whole number/ }]],
    [
      "a word that is none of those allowed",
      list({ status: "broken" }),
      [{ path: "query.status", message: /^must be "changed" or "failed" or "gone"$/ }],
    ],
    ["U+0000 in a query", list({ q: "\0" }), [{ path: "query.q", message: /U\+0000/ }]],
    [
      "half a surrogate pair",
      create({ name: "a\ud800b", url: "http://a/" }),
      [{ path: "body.name", message: /surrogate pair/ }],
    ],
    [
      "U+0000 in a list",
      () => parseInput("updateTestObject", raw({ params: { id }, body: { exclude_list: ["a", "b\0"] } })),
      [{ path: "body.exclude_list.1", message: /U\+0000/ }],
    ],
    [
      "an id that is none in a body",
      () => parseInput("createTestSnapshot", raw({ body: { testinstance_id: "7" } })),
      [{ path: "body.testinstance_id", message: /UUID/ }],
    ],
  ])("%s", (_, run, expected) => {
    const fault = faultOf(run);
    expect(fault.code).toBe("invalid_input");
    expect(fault.details).toEqual(
      expected.map(({ path, message }) => ({ path, message: expect.stringMatching(message) })),
    );
  });
});

test("a field that may be of several kinds, and is missing, is said to be missing", () => {
  const schema = z.object({ id: z.union([z.string(), z.int()]) });
  const wordsFor = (value: unknown) =>
    schema.safeParse(value).error?.issues.map((issue) => describeIssue(issue, value));
  expect(wordsFor({})).toEqual(["is missing"]);
  expect(wordsFor({ id: true })).toEqual(["cannot be a boolean"]);
});

test("a body that no schema reads may be nested deeper than the stack", () => {
  let body: unknown = "bottom";
  for (let depth = 0; depth < 200_000; depth++) body = [body];
  expect(parseInput("crawl", raw({ params: { id }, body })).params).toEqual({ id });
});

test("the message carries the first fault and counts the others", () => {
  expect(invalidInput([{ path: "body.a", message: "is missing" }]).message).toBe("a: is missing.");
  expect(
    invalidInput([
      { path: "query.a", message: "is bad" },
      { path: "body", message: "x" },
      { path: "body", message: "y" },
    ]).message,
  ).toBe("a: is bad. And 2 more faults, see details.");
});
