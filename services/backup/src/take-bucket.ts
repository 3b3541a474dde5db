import { AppError } from "@web-tester/contracts/errors";
import { installationOf, markerKey, markMaxBytes, markOf } from "@web-tester/platform/object-store/bucket-presence";
import type { ObjectDriver } from "@web-tester/platform/object-store/object-driver";

/**
 * Refuses to restore into a bucket that another installation uses.
 * @param known the installation that was backed up, and the one that is restored into
 * @throws AppError conflict
 */
export async function requireFree(bucket: ObjectDriver, known: readonly (string | null)[]): Promise<void> {
  const mark = await bucket.get(markerKey, markMaxBytes);
  const installation = mark === null ? null : installationOf(mark);
  if (installation === null || known.includes(installation)) return;
  throw new AppError(
    "conflict",
    `The bucket is the store of another installation, with another database: correct STORAGE_URL. If the restored product is to take it over, stop the other one and replace the object ${markerKey} there by an empty one. Nothing was restored.`,
  );
}

/** Lets the installation that uses the bucket next take it over: the restored one. */
export async function handOver(bucket: ObjectDriver): Promise<void> {
  await bucket.put(markerKey, markOf(null));
}
