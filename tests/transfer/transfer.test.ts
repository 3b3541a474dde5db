import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { api } from "@web-tester/contracts/api";
import { foreignExport } from "../support/foreign-export.js";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { options } from "../support/other-options.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { readRefusal } from "../support/raw-calls.js";
import { manual, startSite, type Site } from "../support/site.js";
import { compared, contentOf, deleteObject, exportAll, upload, uploadJson } from "../support/transfer.js";
import { until } from "../support/until.js";

/** The product's data can be exported as a file and imported again unchanged; neither requests anything from a site. */
let product: Product;
let site: Site;

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite(manual(4, "text"))]);
});
afterAll(async () => {
  expect(await invariantFaults(product)).toEqual([]);
  await product.stop();
  await site.close();
});
afterEach(async () => {
  await compared(product);
  for (const { id } of await product.rest.call("listTestObjects")) await deleteObject(product, id);
});

async function fetchedObject(): Promise<string> {
  const id = await register(product, site.url);
  await product.rest.call("updateTestObject", {
    params: { id },
    body: {
      auth_enabled: false,
      auth_type: "basic",
      auth_username: "ann",
      auth_password: "s3cret-word",
      exclude_list: ["/private/*"],
      sitemaps: [`${site.url}sitemap.xml`],
      request_delay_ms: 1,
    },
  });
  await crawl(product, id);
  await fetchAll(product, id);
  for (const [path, page] of Object.entries(manual(4, "other “text” \u0000 𝒳"))) site.pages.set(path, page);
  site.pages.delete("/p2.html");
  await fetchAll(product, id);
  for (const [path, page] of Object.entries(manual(4, "text"))) site.pages.set(path, page);
  return id;
}

test("export → import into an empty product → export gives the same content, and asks the site for nothing", async () => {
  const id = await fetchedObject();
  const first = await exportAll(product);
  expect([first.testObjects.length, first.testInstances.length, first.testSnapshots.length]).toEqual([1, 4, 8]);
  expect(JSON.stringify(first)).not.toContain("s3cret-word");
  expect(first.testSnapshots.filter((row) => row["state"] === "failed")).toHaveLength(1);
  const before = await shown(id);
  await deleteObject(product, id);
  const { length: asked } = site.requests;

  const answer = await uploadJson(product, first);
  expect(JSON.parse(answer.text)).toMatchObject({ objects: 1, instances: 4, snapshots: 8, existing: { objects: 0 } });
  await compared(product);
  const second = await exportAll(product);
  expect(contentOf(second)).toEqual(contentOf(first));
  expect(second.testObjects[0]?.["id"]).not.toBe(id);
  expect(await shown(String(second.testObjects[0]?.["id"]))).toEqual(before);

  // imported again, nothing is new
  const again = JSON.parse((await uploadJson(product, first)).text);
  expect(again).toMatchObject({
    objects: 0,
    instances: 0,
    snapshots: 0,
    existing: { objects: 1, instances: 4, snapshots: 8 },
  });
  expect(contentOf(await exportAll(product))).toEqual(contentOf(first));
  expect(site.requests).toHaveLength(asked);
});

test.each([["json"], ["archive"]])("every option of an object is in an export (%s) and comes back", async (format) => {
  const set = options(site.url);
  const apart = ["url", "auth_password", "request_headers", "login_steps"];
  const names = Object.keys(api.updateTestObject.body.shape).filter((name) => !apart.includes(name));
  expect(Object.keys(set).toSorted()).toEqual(names.toSorted());
  const shownOf = async (id: string) => {
    const shape: Record<string, unknown> = { ...(await product.rest.call("getTestObject", { params: { id } })) };
    return Object.fromEntries(names.map((name) => [name, shape[name]]));
  };
  const id = await register(product, site.url);
  const plain = await shownOf(id);
  for (const name of names) expect([name, plain[name]]).not.toEqual([name, set[name]]);
  await product.rest.call("updateTestObject", { params: { id }, body: { ...set, auth_password: "s3cret-word" } });
  expect(await shownOf(id)).toEqual(set);

  const response = await fetch(`${product.address}/api/export?format=${format}`);
  const file = Buffer.from(await response.arrayBuffer());
  const text = (format === "json" ? file : gunzipSync(file)).toString("utf8");
  expect(text).toContain('"auth_password_set":true');
  expect(text).not.toContain("s3cret-word");
  const type = { "content-type": format === "json" ? "application/json" : "application/gzip" };

  // an object that exists already keeps its settings, and its secret, too
  await product.rest.call("updateTestObject", { params: { id }, body: { keep_days: 3 } });
  const kept = JSON.parse((await upload(product, [file], { headers: type })).text);
  expect(kept).toMatchObject({ objects: 0, notes: [] });
  expect(await shownOf(id)).toEqual({ ...set, keep_days: 3 });
  expect(await product.rest.call("getTestObject", { params: { id } })).toMatchObject({ auth_password_set: true });

  await deleteObject(product, id);
  const answer = JSON.parse((await upload(product, [file], { headers: type })).text);
  expect(answer).toMatchObject({
    objects: 1,
    notes: ["“All options”: the password has to be entered again under Options; exports do not contain passwords."],
  });
  const [object] = await product.rest.call("listTestObjects");
  expect(await shownOf(object?.id ?? "")).toEqual(set);
  expect(object?.auth_password_set).toBe(false);
  const { items } = await product.rest.call("listImports");
  expect(items[0]?.notes).toEqual(answer.notes);
});

test("what an object's row has is an option that is exported, or known not to be one", async () => {
  const rows = await product.db.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'test_object'",
  );
  const notOptions = [
    ...["id", "url", "created_at", "auth_password_sealed", "deleting", "dictionary_hash", "noise_state"],
    ...["retention_checked_at", "retention_waits_until", "request_header_names", "request_headers_sealed"],
    ...["removed_by_age", "removed_by_count", "removed_unchanged", "removed_at", "login_steps", "login_sealed"],
  ];
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    [...Object.keys(options(site.url)), ...notOptions].toSorted(),
  );
});

test("a file of an earlier version, which knows fewer options, is imported with what it has", async () => {
  const id = await register(product, site.url);
  const plain = await product.rest.call("getTestObject", { params: { id } });
  const { testObjects, ...rest } = await exportAll(product);
  const {
    keep_days: _,
    keep_snapshots: __,
    keep_changed_only: ___,
    auth_password_set: ____,
    ...older
  } = testObjects[0] ?? {};
  await deleteObject(product, id);
  const answer = await uploadJson(product, { ...rest, testObjects: [{ ...older, request_delay_ms: 5 }] });
  expect(JSON.parse(answer.text)).toMatchObject({ objects: 1, notes: [] });
  const [object] = await product.rest.call("listTestObjects");
  expect({ ...object, id: null, created_at: null, request_delay_ms: 0 }).toEqual({
    ...plain,
    id: null,
    created_at: null,
  });
});

test("a plain file of another program, records in any order, doubles merged by canonical address", async () => {
  const answer = JSON.parse((await uploadJson(product, foreignExport)).text);
  expect(answer).toMatchObject({
    objects: 1,
    instances: 2,
    snapshots: 6,
    existing: { objects: 1, instances: 1, snapshots: 0 },
  });
  await compared(product);
  const { testObjects, testInstances, testSnapshots } = await exportAll(product);
  expect(testObjects).toMatchObject([
    {
      name: "Shop",
      url: "https://shop.example/",
      auth_enabled: true,
      asset_snapshots: false,
      exclude_list: ["/a", "/b"],
    },
  ]);
  const [object] = await product.rest.call("listTestObjects");
  expect(object?.auth_password_set).toBe(true);
  expect(testInstances.map(({ url, name }) => [url, name])).toEqual([
    ["https://shop.example/a~b", "A page"],
    ["https://shop.example/c", "/c"],
  ]);
  expect(testSnapshots.map(({ html, state, created_at: at }) => [html, state, String(at).slice(0, 10)])).toEqual(
    expect.arrayContaining([
      ["<p>one", "done", "2026-01-02"],
      ["<p>two", "done", "2026-01-03"],
      ["", "created", "2026-01-04"],
      ["", "failed", new Date().toISOString().slice(0, 10)],
    ]),
  );
  expect(JSON.parse((await uploadJson(product, foreignExport)).text)).toMatchObject({
    objects: 0,
    instances: 0,
    snapshots: 0,
  });
});

test("two test objects of one address stay two, each with its options and its history", async () => {
  const at = (id: string, name: string | undefined, viewport: string) => ({ id, name, url: site.url, viewport });
  const page = (id: string, parent: string) => ({ id, url: site.url, testobject_id: parent });
  const snapshot = (id: string, parent: string) => ({
    id,
    testinstance_id: parent,
    html: id,
    created_at: "2026-02-02",
  });
  const twice = {
    testObjects: [at("d", "Desktop", ""), at("p", "Phone", "390x844"), at("u", undefined, "")],
    testInstances: [page("di", "d"), page("pi", "p"), page("ui", "u")],
    testSnapshots: [snapshot("big", "di"), snapshot("small", "pi"), snapshot("nameless", "ui")],
  };
  expect(JSON.parse((await uploadJson(product, twice)).text)).toMatchObject({ objects: 2, instances: 2, snapshots: 3 });
  await compared(product);
  const first = await exportAll(product);
  expect(first.testObjects.map(({ name, viewport }) => [name, viewport].join()).sort()).toEqual([
    "Desktop,",
    "Phone,390x844",
  ]);
  const nothing = { objects: 0, instances: 0, snapshots: 0 };
  expect(JSON.parse((await uploadJson(product, first)).text)).toMatchObject(nothing);
  for (const { id } of await product.rest.call("listTestObjects")) await deleteObject(product, id);
  await uploadJson(product, first);
  await compared(product);
  expect(contentOf(await exportAll(product))).toEqual(contentOf(first));
  // the control: an object that was renamed here meanwhile is still known by its address
  const phone = { ...twice, testObjects: [at("p", "Renamed", "")], testInstances: [], testSnapshots: [] };
  expect(JSON.parse((await uploadJson(product, phone)).text)).toMatchObject({ ...nothing, existing: { objects: 1 } });
});

test("older snapshots come before those that are there: positions and comparisons follow", async () => {
  const page = (snapshots: [html: string, day: string][]) => ({
    testObjects: [{ id: "o", name: "Site", url: "https://site.example/" }],
    testInstances: [{ id: "i", url: "https://site.example/", testobject_id: "o" }],
    testSnapshots: snapshots.map(([html, day], index) => ({ id: index, testinstance_id: "i", html, created_at: day })),
  });
  await uploadJson(
    product,
    page([
      ["a\nb", "2026-02-02"],
      ["a\nc", "2026-02-04"],
    ]),
  );
  await compared(product);
  await uploadJson(
    product,
    page([
      ["a", "2026-02-01"],
      ["a\nb", "2026-02-02"],
      ["a\nb\nc", "2026-02-03"],
    ]),
  );
  await compared(product);
  const [object] = await product.rest.call("listTestObjects");
  const { items } = await product.rest.call("listTestInstances", { params: { id: object?.id ?? "" } });
  expect(items).toMatchObject([{ status: "changed", snapshots_total: 4, lines_added: 0, lines_removed: 1 }]);
  const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id: items[0]?.id ?? "" } });
  expect(testsnapshots.map((row) => [row.number, row.created_at.slice(0, 10), row.change])).toEqual([
    [4, "2026-02-04", "changed"],
    [3, "2026-02-03", "changed"],
    [2, "2026-02-02", "changed"],
    [1, "2026-02-01", "first"],
  ]);
});

test("in the background: a job that tells how far it is, and survives the gateway", async () => {
  const many = {
    testObjects: Array.from({ length: 60 }, (_, n) => ({ id: n, name: `Site ${n}`, url: `https://s${n}.example/` })),
    testInstances: Array.from({ length: 60 }, (_, n) => ({ id: n, url: `https://s${n}.example/`, testobject_id: n })),
    testSnapshots: Array.from({ length: 120 }, (_, n) => ({ id: n, testinstance_id: n >> 1, html: `<p>${n}` })),
  };
  const file = gzipSync(JSON.stringify(many));
  const answer = await upload(product, [file], {
    query: "?async=true&name=many.json",
    headers: { "content-type": "application/gzip" },
  });
  const { jobId } = JSON.parse(answer.text);
  process.kill(product.pidOf("gateway"), "SIGKILL");
  const job = await until("the end of the import", async () => {
    const found = await product.rest.call("getImport", { params: { id: jobId } }).catch(() => null);
    return found !== null && found.state !== "applying" ? found : undefined;
  });
  expect(job).toMatchObject({
    state: "finished",
    name: "many.json",
    total: 240,
    completed: 240,
    imported: { objects: 60, instances: 60, snapshots: 120 },
    faults: [],
    bytes: file.length,
  });
  const { items } = await product.rest.call("listImports");
  expect(items[0]).toEqual(job);
  expect(await product.db.query(`SELECT 1 FROM import_row`)).toEqual([]);
});

test("an import that cannot be written says why, is given up, and is in nobody's way", async () => {
  await product.db.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no poison here'; END $$`);
  await product.db.query(
    `CREATE TRIGGER no_poison BEFORE INSERT ON test_instance FOR EACH ROW WHEN (NEW.url LIKE '%poison%') EXECUTE FUNCTION refuse()`,
  );
  const file = (host: string) => ({
    testObjects: [{ id: 1, name: `At ${host}`, url: `https://${host}.example/` }],
    testInstances: [{ id: 1, url: `https://${host}.example/`, testobject_id: 1 }],
    testSnapshots: [{ id: 1, testinstance_id: 1, html: "<p>one" }],
  });
  const failing = await Promise.all(
    ["poison-a", "poison-b"].map(async (host) =>
      String(JSON.parse((await uploadJson(product, file(host), "?async=true")).text).jobId),
    ),
  );
  const load = async (id: string) => product.rest.call("getImport", { params: { id } });
  // while an import is retried, it shows why; imports that wait for a retry leave their places to others
  await until("a try that failed", async () => (await load(failing[0] ?? "")).error !== null);
  const { jobId: healthy } = JSON.parse((await uploadJson(product, file("healthy"), "?async=true")).text);
  await until("the other import", async () => (await load(healthy)).state === "finished");
  for (const id of failing) {
    const job = await until("the end of an import that fails", async () => {
      const found = await load(id);
      return found.state !== "applying" && found;
    });
    expect(job).toMatchObject({
      state: "failed",
      error: expect.stringMatching(
        /^“At poison-[ab]” could not be written: the database refused it \(no poison here\)\. It was tried 3 times\./,
      ),
      imported: { objects: 0 },
    });
  }
  // a caller that waits for the answer is told that the import will be retried
  const waited = readRefusal(await uploadJson(product, file("poison-c")));
  expect([waited.status, waited.message]).toEqual([
    503,
    expect.stringMatching(/^Writing failed once: .+no poison here\)\. It is tried again by itself\. Check the list/),
  ]);
  await product.db.query(`DROP TRIGGER no_poison ON test_instance`);
  await until("the import goes on by itself", async () => {
    const { items } = await product.rest.call("listImports");
    return items[0]?.state === "finished";
  });
  expect(await product.db.query(`SELECT 1 FROM import_content UNION ALL SELECT 1 FROM import_row`)).toEqual([]);
});

test("a fault in one record: nothing changes, and every faulty record is named with its line", async () => {
  const answer = await upload(product, [
    '{"testObjects": [\n{"id": 1, "name": "Right", "url": "https://right.example/"},\n{"id": 2,\n "name": "Wrong", "url": "right.example"}\n],',
    '"testInstances": [{"id": 1, "url": "https://right.example/"}]}',
  ]);
  const refusal = readRefusal(answer);
  expect(refusal).toMatchObject({
    status: 400,
    code: "invalid_input",
    details: [
      { list: "testObjects", record: 2, line: 3, message: expect.stringContaining("url: Enter a full URL") },
      { list: "testInstances", record: 1, line: 5, message: expect.stringContaining("testobject_id") },
    ],
  });
  expect(await product.rest.call("listTestObjects")).toEqual([]);
  const { items } = await product.rest.call("listImports");
  expect(items[0]).toMatchObject({ state: "failed", faults: refusal.details, faults_total: 2 });
});

test("an import can be stopped while its file is on its way", async () => {
  const stopped = Promise.withResolvers<void>();
  async function* body() {
    yield '{"testObjects": [{"id": 1, "name": "A", "url": "https://a.example/"}';
    for (let n = 2; n < 600; n++) yield `,{"id": ${n}, "name": "A", "url": "https://a${n}.example/"}`;
    await stopped.promise;
    for (let n = 600; n < 1_600; n++) yield `,{"id": ${n}, "name": "A", "url": "https://a${n}.example/"}`;
    yield "]}";
  }
  const answer = upload(product, body());
  const id = await until("the import", async () => {
    const { items } = await product.rest.call("listImports");
    return items.find(({ state, total }) => state === "reading" && total > 0)?.id;
  });
  expect(await product.rest.call("cancelImport", { params: { id } })).toMatchObject({ state: "cancelled" });
  stopped.resolve();
  expect(readRefusal(await answer)).toMatchObject({ status: 409, code: "conflict" });
  expect(await product.rest.call("listTestObjects")).toEqual([]);
  expect(await product.db.query(`SELECT 1 FROM import_row`)).toEqual([]);
});

/** Returns what a person sees of an object's pages. */
async function shown(id: string) {
  const { items } = await product.rest.call("listTestInstances", { params: { id } });
  const pages = await Promise.all(
    items.map(async ({ id: instance, url, status, snapshots_total, lines_added, lines_removed }) => {
      const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id: instance } });
      const history = testsnapshots.map((row) => [row.number, row.state, row.change, row.lines_added, row.html_sha256]);
      return { url, status, snapshots_total, lines_added, lines_removed, history };
    }),
  );
  return pages.sort((a, b) => a.url.localeCompare(b.url));
}
