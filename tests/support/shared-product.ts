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

/** Environment of a product for sites on other addresses of this machine than its own: one kind, so that suites can share it. */
export const reachesLoopback = { EGRESS_ALLOW: "127.0.0.0/8" };

/**
 * A product that other suites had before and others have after this one; nobody else works with it meanwhile. It has no objects and no
 * imports. For suites that harm nothing: whoever kills its parts, reads its metrics, its totals or its console from the beginning, or changes
 * its database, starts one of their own (`startProduct`). It ends by `stop`, which leaves it empty; what cannot be emptied goes.
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

/** What rows of it remain are none that a suite looks at: bytes without a user, and how hosts of the past were asked. */
async function empty(product: Product): Promise<void> {
  const { db, rest } = product;
  for (const { id } of await rest.call("listTestObjects")) await deleteObject(product, id);
  await db.query("DELETE FROM import_job");
  // of all objects, so of none that was deleted
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
