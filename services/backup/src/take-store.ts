import { AppError } from "@web-tester/contracts/errors";
import { installationOf, markerKey, markMaxBytes, markOf } from "@web-tester/platform/object-store/bucket-presence";
import type { ObjectDriver } from "@web-tester/platform/object-store/object-driver";

/**
 * Refuses to restore into a bucket or folder that another installation uses.
 * @param known the installation that was backed up, and the one that is restored into
 * @throws AppError conflict
 */
export async function requireFree(store: ObjectDriver, known: readonly (string | null)[]): Promise<void> {
  const mark = await store.get(markerKey, markMaxBytes);
  const installation = mark === null ? null : installationOf(mark);
  if (installation === null || known.includes(installation)) return;
  throw new AppError(
    "conflict",
    `STORAGE_URL leads to the store of another installation, with another database: correct it. If the restored product is to take that store over, stop the other one and replace the object or file ${markerKey} there by an empty one. Nothing was restored.`,
  );
}

/** Lets the installation that uses the store next take it over: the restored one. */
export async function handOver(store: ObjectDriver): Promise<void> {
  await store.put(markerKey, markOf(null));
}
