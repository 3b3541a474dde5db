import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { errorCode } from "@web-tester/platform/object-store/object-driver";
import { parseStorageUrl } from "@web-tester/platform/object-store/storage-url";
import type { Client } from "pg";
import { nameOf, readLastWhole, readManifestIfThere } from "./backup-folder.js";
import { installationId, restoredName } from "./copy-rows.js";

/**
 * Refuses a folder where the bytes of the backup would be those of the product itself: such a backup holds no copy, and its clearing up
 * would remove contents that the product stored meanwhile.
 * @throws AppError conflict
 */
export async function requireApart(folder: string, storageUrl: string): Promise<void> {
  const location = parseStorageUrl(storageUrl);
  if (location.kind === "bucket") return;
  const [store, objects] = [await realPlace(location.path), await realPlace(join(folder, "objects"))];
  if (!isWithin(store, objects) && !isWithin(objects, store)) return;
  throw new AppError(
    "conflict",
    `${folder} is no folder for a backup: the product itself keeps its contents in ${location.path}. Name a folder of its own, if you can on another disk.`,
  );
}

/**
 * Refuses a folder that holds the backup of another product, which would be replaced. A product that was restored from this backup may go
 * on with it.
 * @throws AppError conflict
 */
export async function requireOwnBackup(folder: string, client: Client): Promise<void> {
  const there = await readManifestIfThere(folder);
  // earlier versions did not note whose backup it is
  if (there === null || there.installation === null) return;
  const mine = await installationId(client);
  if (mine === null || mine === there.installation) return;
  const whole = await readLastWhole(folder);
  const names = [there, ...(whole === null ? [] : [whole])].map(nameOf);
  if (names.includes((await restoredName(client)) ?? "")) return;
  throw new AppError(
    "conflict",
    `The backup of ${there.madeAt} in ${folder} is that of another product, with another database: it stays as it is. Check that DATABASE_URL and DATA_DIR are right, or name another folder.`,
  );
}

function isWithin(inner: string, outer: string): boolean {
  const path = relative(outer, inner);
  return path.split(sep)[0] !== ".." && !isAbsolute(path);
}

/** Returns where a path leads once all links are followed, also where its last parts do not exist yet. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || dirname(path) === path) return path;
    return join(await realPlace(dirname(path)), basename(path));
  }
}
