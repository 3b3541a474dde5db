import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { Product } from "./product.js";
import type { Answer } from "./raw-calls.js";
import { until } from "./until.js";

const record = z.record(z.string(), z.unknown());
export const exportFile = z.looseObject({
  version: z.int(),
  testObjects: z.array(record),
  testInstances: z.array(record),
  testSnapshots: z.array(record),
});
export type ExportFile = z.infer<typeof exportFile>;

export async function exportAll({ address }: Product, query = ""): Promise<ExportFile> {
  const response = await fetch(`${address}/api/export${query}`);
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return exportFile.parse(await response.json());
}

/** Uploads a file while it is made; `fetch` would need all of it first, or not deliver an answer that comes early. */
export function upload(
  { address }: Product,
  body: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>,
  {
    query = "",
    headers = {},
    vanish = false,
  }: {
    query?: string;
    headers?: Record<string, string>;
    /** Closes the connection after the last byte, whatever length was announced. */
    vanish?: boolean;
  } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${address}/api/import${query}`,
      // a connection with a wrong announced length must not be reused
      { agent: false, method: "POST", headers: { "content-type": "application/json", ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.once("end", () => {
          resolve({ status: response.statusCode ?? 0, text });
          // a refusal may come before the end of the file
          asked.destroy();
        });
        response.once("error", reject);
      },
    );
    pipeline(Readable.from(body), asked, { end: !vanish })
      .then(() => vanish && asked.destroy(new Error("The sender is gone")))
      .catch(() => undefined);
    asked.once("error", reject);
  });
}

export function uploadJson(product: Product, value: unknown, query = ""): Promise<Answer> {
  return upload(product, [JSON.stringify(value)], { query });
}

/** Waits until every comparison has been made. */
export async function compared({ db }: Product): Promise<void> {
  await until("all comparisons", async () => {
    const rows = await db.query(`SELECT 1 FROM change WHERE state <> 'done' LIMIT 1`);
    return rows.length === 0;
  });
}

/** Deletes an object and waits until it is gone. */
export async function deleteObject({ rest, db, acknowledged }: Product, id: string): Promise<void> {
  await rest.call("deleteTestObject", { params: { id } });
  await until("the end of the object", async () => {
    const rows = await db.query(`SELECT 1 FROM test_object WHERE id = $1`, [id]);
    return rows.length === 0;
  });
  acknowledged.splice(0, acknowledged.length, ...acknowledged.filter(({ objectId }) => objectId !== id));
}

/** The content of an export file without its own ids, secrets and times, for comparing two exports of the same data. */
export function contentOf({ testObjects, testInstances, testSnapshots }: ExportFile) {
  const urls = new Map(testObjects.map((row) => [row["id"], row["url"]]));
  const pages = new Map(
    testInstances.map((row) => [row["id"], `${String(urls.get(row["testobject_id"]))} ${String(row["url"])}`]),
  );
  const sorted = (rows: Record<string, unknown>[]) => rows.map((row) => JSON.stringify(row)).sort();
  const ids = { id: undefined, testobject: undefined, testobject_id: undefined, testinstance_id: undefined };
  return {
    objects: sorted(testObjects.map((row) => ({ ...row, ...ids, auth_password_set: undefined }))),
    instances: sorted(testInstances.map((row) => ({ ...row, ...ids, of: urls.get(row["testobject_id"]) }))),
    snapshots: sorted(testSnapshots.map((row) => ({ ...row, ...ids, of: pages.get(row["testinstance_id"]) }))),
  };
}
