import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { exportArchive } from "@web-tester/gateway/transfer/export-archive";
import { exportJson } from "@web-tester/gateway/transfer/export-json";
import { type ExportedObject, selectExportedObjects } from "@web-tester/gateway/transfer/export-rows.sql";
import { exportWacz } from "@web-tester/gateway/transfer/export-wacz";
import { LeftOut } from "@web-tester/gateway/transfer/left-out";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { type ImportDesk, openImportDesk } from "../support/import-desk.js";

/** An export that lacks contents which the store has lost says so at its end, in each format. */
let desk: ImportDesk;
let objects: ExportedObject[];
const page = (n: number) => `<!doctype html><title>${n}</title><p>page ${n}`;
const now = new Date("2026-01-01T00:00:00Z");
const says =
  "This export is not complete: 1 snapshot has no page, because the object store has lost the content or returns it damaged.";

beforeAll(async () => {
  desk = await openImportDesk();
  const ids = [1, 2, 3];
  await desk.importNow(
    JSON.stringify({
      testObjects: [{ id: "o", name: "Shop", url: "http://shop.test/" }],
      testInstances: ids.map((id) => ({ id, testobject_id: "o", url: `http://shop.test/${id}` })),
      testSnapshots: ids.map((id) => ({ id, testinstance_id: id, html: page(id) })),
    }),
  );
  objects = await selectExportedObjects(desk.db, null);
});
afterAll(() => desk.stop());

type Form = "json" | "archive" | "wacz";

/** Exports everything. @returns the file as text, unpacked, and what was counted */
async function exported(form: Form): Promise<{ text: string; leftOut: LeftOut }> {
  const leftOut = new LeftOut();
  const [object] = objects;
  if (object === undefined) throw new Error("There is no object");
  if (form === "json") {
    let text = "";
    for await (const piece of exportJson(desk, objects, now, leftOut)) text += piece;
    return { text, leftOut };
  }
  const pieces =
    form === "archive" ? exportArchive(desk, objects, now, leftOut) : await exportWacz(desk, object, 0, now, leftOut);
  const bytes = await buffer(pieces);
  return { text: (form === "archive" ? gunzipSync(bytes) : bytes).toString("latin1"), leftOut };
}

const forms: Form[] = ["json", "archive", "wacz"];

test.each(forms)("%s: says nothing where nothing is missing", async (form) => {
  const { text, leftOut } = await exported(form);
  expect([leftOut.total, leftOut.said]).toEqual([null, null]);
  expect(text).not.toContain("not complete");
});

test.each(forms)("%s: says at its end what the store has lost", async (form) => {
  const hash = hashContent(Buffer.from(page(2)));
  const kept = await desk.store.read(hash);
  await desk.store.delete(hash);
  const { text, leftOut } = await exported(form);
  await desk.store.write(hash, kept);
  expect(leftOut.total).toBe(1);
  expect(text).toContain(says);
  if (form === "json") {
    expect(JSON.parse(text)).toMatchObject({
      incomplete: { contents: 1, message: says },
      testSnapshots: expect.arrayContaining([
        expect.objectContaining({ state: "failed", error_code: "content_missing" }),
      ]),
    });
    // importers of all versions skip what they do not know
    expect(await desk.job(await desk.importNow(text))).toMatchObject({ error: null });
  }
});
