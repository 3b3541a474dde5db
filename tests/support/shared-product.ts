import { readFileSync } from "node:fs";
import { z } from "zod";
import { type Product, productOf, settingsWith, startProduct } from "./product.js";
import { areServersShared, giveBack, takeProduct } from "./shared-servers.js";
import { deleteObject } from "./transfer.js";
import { until } from "./until.js";

const state = z.object({
  parts: z.array(
    z.object({ name: z.string(), pid: z.number().nullable(), embedded: z.boolean(), origin: z.string().optional() }),
  ),
});

/**
 * The environment of a product that may fetch sites on other loopback addresses than its own; the same for all suites, so that they
 * can share it.
 */
export const reachesLoopback = { EGRESS_ALLOW: "127.0.0.0/8" };

/**
 * Takes a product that other suites used before and will use afterwards; nobody else uses it meanwhile. It has no objects and no
 * imports. Only for suites that harm nothing: a suite that kills parts, reads metrics, totals or the console from the beginning, or
 * changes the database, starts a product of its own (`startProduct`). `stop` gives it back empty; a product that cannot be emptied is
 * ended.
 */
export async function shareProduct(env: Record<string, string> = {}): Promise<Product> {
  if (!areServersShared) return startProduct(env);
  const settings = settingsWith(env);
  const shared = await takeProduct(settings, JSON.stringify(env));
  const { address, databaseUrl, natsUrl, storageUrl, dataDir, stateFile } = shared;
  const parts = () => state.parse(JSON.parse(readFileSync(stateFile, "utf8"))).parts;
  const pids = JSON.stringify(parts());
  let isClean = false;
  return productOf(
    {
      address,
      databaseUrl,
      natsUrl,
      storageUrl,
      parts: () => parts().map((part) => ({ ...part, origin: part.origin })),
    },
    { ...settings, DATA_DIR: dataDir },
    () => giveBack(shared, isClean),
    async (product) => {
      isClean = await empty(product).then(
        () => JSON.stringify(parts()) === pids,
        () => false,
      );
    },
  );
}

/** Empties the product. The rows that stay are of no interest to suites: unreferenced bytes, and how earlier hosts were asked. */
async function empty(product: Product): Promise<void> {
  const { db, rest } = product;
  for (const { id } of await rest.call("listTestObjects")) await deleteObject(product, id);
  await db.query("DELETE FROM import_job");
  // these hold for all objects, and so were not deleted with any of them
  for (const table of ["ignore_rule", "channel", "feed"]) await db.query(`DELETE FROM ${table}`);
  await until(
    "an empty product",
    async () => {
      const [left] = await db.query<{ rows: number }>(
        `SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM test_snapshot) + (SELECT count(*) FROM change)
           + (SELECT count(*) FROM crawl_page) + (SELECT count(*) FROM import_row) AS rows`,
      );
      return Number(left?.rows) === 0;
    },
    20_000,
  );
  await db.query("DELETE FROM visual_cache");
  await db.query("DELETE FROM robots_file");
  await db.query("DELETE FROM host_gate");
}
