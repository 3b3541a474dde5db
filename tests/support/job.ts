import type { Product } from "./product.js";
import { until } from "./until.js";

/** Registers an object, as a person does. */

export async function register({ rest, acknowledged }: Product, url: string, name = "Manual"): Promise<string> {
  const { id } = await rest.call("createTestObject", { body: { name, url } });
  acknowledged.push({ objectId: id, runId: null });
  return id;
}

/** Waits until the run and all comparisons have ended. */
export async function runEnded(
  { db }: Product,
  runId: string,
  timeoutMs = 90_000,
): Promise<{ total: number; completed: number; failed: number; changed: number; found: number; state: string }> {
  return until(
    `the end of run ${runId}`,
    async () => {
      // in one statement, because counters read before the last comparison was recorded would be outdated
      const [run] = await db.query<{
        total: number;
        completed: number;
        failed: number;
        changed: number;
        found: number;
        state: string;
      }>(
        `SELECT total, completed, failed, changed, found, state FROM run
         WHERE id = $1 AND state <> 'running' AND NOT EXISTS (SELECT 1 FROM change WHERE state <> 'done')`,
        [runId],
      );
      return run;
    },
    timeoutMs,
  );
}

export async function startCrawl({ rest, acknowledged }: Product, id: string): Promise<string> {
  const { runId } = await rest.call("crawl", { params: { id } });
  acknowledged.push({ objectId: id, runId });
  return runId;
}

export async function startFetch({ rest, acknowledged }: Product, id: string): Promise<string> {
  const { runId } = await rest.call("snapshotAll", { params: { id } });
  if (runId === null) throw new Error("There is nothing to fetch");
  acknowledged.push({ objectId: id, runId });
  return runId;
}

export async function crawl(product: Product, id: string) {
  return runEnded(product, await startCrawl(product, id));
}

export async function fetchAll(product: Product, id: string) {
  return runEnded(product, await startFetch(product, id));
}

/** Waits until a run has finished at least this many rows. */
export async function reached({ db }: Product, runId: string, completed: number): Promise<void> {
  await until(`${completed} rows of run ${runId}`, async () => {
    const [run] = await db.query<{ completed: number }>(`SELECT completed FROM run WHERE id = $1`, [runId]);
    return run !== undefined && run.completed >= completed;
  });
}

/** Finds the pages of a test object and fetches them. @returns the id of the snapshot of the first page */
export async function firstSnapshot(product: Product, id: string): Promise<string> {
  await crawl(product, id);
  await fetchAll(product, id);
  const { items } = await product.rest.call("listTestInstances", { params: { id } });
  const instance = await product.rest.call("getTestInstance", { params: { id: items[0]?.id ?? "" } });
  return instance.testsnapshots[0]?.id ?? "";
}
