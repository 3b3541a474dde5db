import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "@web-tester/contracts/errors";
import { z } from "zod";
import { errorCode } from "@web-tester/platform/object-store/object-driver";

/*
 * A backup is a folder:
 *   manifest.json        lists what belongs to it, written last: without it there is no backup yet, and until it is replaced the old one is valid
 *   last-whole.json      the manifest of the last backup that missed nothing, if the newest one misses something
 *   rows-<stamp>/…       one compressed file for each table, and the list of objects
 *   objects/ab/<sha256>  stored bytes, shared by one backup and the next
 */

const format = 1;
const manifestName = "manifest.json";
const lastWholeName = "last-whole.json";

const storedFile = z.object({
  file: z.string().regex(/^[a-z0-9_]+\.zst$/),
  bytes: z.int(),
  sha256: z.hex().length(64),
});

const manifestSchema = z.object({
  product: z.literal("web-tester"),
  format: z.int(),
  madeAt: z.iso.datetime(),
  /** Folder of the rows, inside the backup's. */
  rows: z.string().regex(/^rows-[\w-]+$/),
  /** Migrations that the database had, in their order. */
  migrations: z.array(z.string()),
  tables: z.array(storedFile.extend({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
  /** The list of objects: lines of hash, base and whether it is stored, in order of hash. */
  objects: storedFile.extend({ count: z.int() }),
  /** Contents that rows need and that were intact in neither the product's store nor this folder, as SHA-256 in hex. */
  lost: z.array(z.hex().length(64)),
  /** Tells whether a key is the one of the site passwords, and reveals nothing about it; null if no key was given. */
  keyMark: z.hex().length(64).nullable(),
  /** The installation whose bucket may be filled without asking; null for backups of earlier versions. */
  installation: z.uuid().nullable().default(null),
});

/** A file of a backup; `bytes` and `sha256` describe the compressed file on disk. */
export type StoredFile = z.infer<typeof storedFile>;
/** The contents of a finished backup. */
export type Manifest = z.infer<typeof manifestSchema>;

/** Returns the address of the folder's objects for `openObjectDriver`; writes there are synced to disk, so they survive a power failure. */
export function objectsAddress(folder: string): string {
  return `${pathToFileURL(join(folder, "objects")).href}?fsync=true`;
}

/** Names the first three of many hashes. */
export function someOf(hashes: readonly string[]): string {
  return `${hashes.slice(0, 3).join(", ")}${hashes.length > 3 ? " …" : ""}`;
}

/** Returns the name that marks a database as restored from this backup. */
export function nameOf({ rows, madeAt }: Manifest): string {
  return `web-tester backup ${rows} of ${madeAt}`;
}

/** Creates a new folder for rows. @returns its name */
export async function makeRowsFolder(folder: string): Promise<string> {
  const name = `rows-${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${process.pid}`;
  await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  return name;
}

/**
 * Makes the manifest's backup the current one. If it misses contents, the last backup that missed none stays beside it.
 * @throws AppError content_damaged if its files are not what was written: then the previous backup stays current
 */
export async function writeManifest(folder: string, given: Omit<Manifest, "product" | "format">): Promise<Manifest> {
  const manifest: Manifest = { product: "web-tester", format, ...given };
  await verifyRowFiles(folder, manifest);
  if (manifest.lost.length > 0) {
    const before = await readManifestIfThere(folder);
    if (before !== null && before.lost.length === 0) await replaceFile(folder, lastWholeName, before);
  }
  await replaceFile(folder, manifestName, manifest);
  if (manifest.lost.length === 0) await rm(join(folder, lastWholeName), { force: true });
  return manifest;
}

async function replaceFile(folder: string, name: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${name}.new`);
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ ...manifest, sha256: digestOf(manifest) }, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, name));
  const parent = await open(folder, "r");
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

/** The SHA-256 of a manifest, without the field that holds it: of its JSON in the order in which it was written, without white space. */
function digestOf(manifest: object): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}

/**
 * Checks the digest of a manifest, which backups of earlier versions have not.
 * @throws AppError content_damaged
 */
function requireUnaltered(folder: string, name: string, value: unknown): void {
  if (typeof value !== "object" || value === null || !("sha256" in value)) return;
  const { sha256, ...rest } = value;
  if (sha256 !== digestOf(rest)) throw damagedBackup(folder, `its ${name} is not what was written`);
}

/** Removes folders of rows that no manifest names. */
export async function removeOldRows(folder: string, kept: readonly Manifest[]): Promise<void> {
  const names = kept.map(({ rows }) => rows);
  for (const name of await readdir(folder))
    if (name.startsWith("rows-") && !names.includes(name)) await rm(join(folder, name), { recursive: true });
}

/** Reads the newest backup's manifest in a folder; null if there is none, or none that can be read: then there is nothing to lose. */
export async function readManifestIfThere(folder: string): Promise<Manifest | null> {
  return nullIfUnusable(() => readManifest(folder));
}

/** Reads the manifest of the last backup that missed nothing; it is there only if the newest one misses something. */
export async function readLastWhole(folder: string): Promise<Manifest | null> {
  return nullIfUnusable(() => readManifest(folder, lastWholeName));
}

async function nullIfUnusable(read: () => Promise<Manifest>): Promise<Manifest | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && (error.code === "not_found" || error.code === "content_damaged")) return null;
    throw error;
  }
}

/**
 * Reads the manifest of a backup.
 * @throws AppError not_found if there is none; content_damaged; conflict if a newer version made it
 */
export async function readManifest(folder: string, name = manifestName): Promise<Manifest> {
  const text = await readFile(join(folder, name), "utf8").catch((cause: unknown) => {
    if (errorCode(cause) !== "ENOENT" && errorCode(cause) !== "ENOTDIR") throw cause;
    throw new AppError(
      "not_found",
      `There is no finished backup in ${folder}: name the folder that a backup was written to, or make one first.`,
      { cause },
    );
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damagedBackup(folder, `its ${name} is not JSON`, cause);
  }
  const version = z.object({ format: z.int() }).safeParse(value).data?.format ?? format;
  if (version > format)
    throw new AppError(
      "conflict",
      `The backup in ${folder} has format ${version}, this version knows ${format}: restore it with the version that made it, or a newer one.`,
    );
  requireUnaltered(folder, name, value);
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success)
    throw damagedBackup(folder, `its ${name} does not say what it must: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Checks that the files of rows are what was written. @throws AppError content_damaged naming the first file that is not */
export async function verifyRowFiles(folder: string, { rows, tables, objects }: Manifest): Promise<void> {
  for (const { file, bytes, sha256 } of [...tables, objects]) {
    const path = join(folder, rows, file);
    const found = await stat(path).catch(() => null);
    if (found === null) throw damagedBackup(folder, `${rows}/${file} is missing`);
    if (found.size !== bytes)
      throw damagedBackup(folder, `${rows}/${file} has ${found.size} bytes where ${bytes} were written`);
    const hash = createHash("sha256");
    for await (const part of createReadStream(path)) hash.update(part as Buffer);
    if (hash.digest("hex") !== sha256) throw damagedBackup(folder, `${rows}/${file} is not what was written`);
  }
}

export function damagedBackup(folder: string, why: string, cause?: unknown, hint = ""): AppError {
  return new AppError(
    "content_damaged",
    `The backup in ${folder} is damaged: ${why}. Nothing was restored; take another backup.${hint}`,
    { cause },
  );
}
