import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import type { TakenWith } from "@web-tester/contracts/visitor";

/**
 * A file of a snapshot; `hash` in hex, null when the file is missing for the reason in `error`. With both, it came with the status of an error and is
 * shown nevertheless; where its server said that it is gone, it counts as missing all the same.
 */
export interface KeptFile {
  url: string;
  kind: string;
  hash: string | null;
  error: string | null;
}

/** The files of a snapshot; `scripts` says which scripts were looked for, null when none were. */
export interface KeptFiles {
  files: readonly KeptFile[];
  scripts: TakenWith["scripts"] | null;
}

/**
 * Returns the files that differ between two snapshots of a page. A file that is missing on one side is reported only if its server said
 * that it is gone; otherwise it is not compared, as it may just have come too late. If an address is new only because it contains a version
 * (`site.css?v=2`, `app-3f2a91bc.js`), old and new count as one file; the same bytes under another address are no change. Scripts that one
 * of the snapshots did not look for are not compared.
 */
export function changedFiles(a: KeptFiles, b: KeptFiles): ChangedFile[] {
  const [before, after] = bothLookedFor(a, b);
  const older = new Map(before.map((file) => [file.url, file]));
  const newer = new Map(after.map((file) => [file.url, file]));
  const found = [...newer.values()].flatMap((file) => changeOf(older.get(file.url), file) ?? []);
  const gone = [...older.values()].filter((file) => isThere(file) && !newer.has(file.url));
  const fresh = [...newer.values()].filter((file) => !older.has(file.url) && (isThere(file) || isGone(file)));
  return [...found, ...pairUp(gone, fresh.map(withoutBytes))].filter(
    ({ change }) =>
      (change !== "added" || !lacksNamers(before, newer)) && (change !== "removed" || !lacksNamers(after, older)),
  );
}

/** Compares a file whose address both snapshots have; null when nothing is to be reported. */
function changeOf(old: KeptFile | undefined, file: KeptFile): ChangedFile | null {
  if (old === undefined || (isGone(old) === isGone(file) && old.hash === file.hash)) return null;
  if (isGone(file) && isThere(old)) return { ...told("missing", file), before: old.hash };
  if (isGone(old) && isThere(file)) return { ...told("back", file), after: file.hash };
  if (old.hash === null || file.hash === null) return null;
  return { ...told("changed", file), before: old.hash, after: file.hash };
}

const isThere = (file: KeptFile): boolean => file.hash !== null && !isGone(file);

/** What is shown in place of a file that is gone is not the file. */
const withoutBytes = (file: KeptFile): KeptFile => (isGone(file) ? { ...file, hash: null } : file);

/** Whether the server said for good that there is no such file; `error` begins with the loader's words for a status. */
function isGone({ error }: KeptFile): boolean {
  return /^The server answered (?:404|410)\b/.test(error ?? "");
}

function bothLookedFor(a: KeptFiles, b: KeptFiles): [readonly KeptFile[], readonly KeptFile[]] {
  if (a.scripts === b.scripts) return [a.files, b.files];
  const scripts = (files: readonly KeptFile[]) =>
    new Set(files.flatMap(({ kind, url }) => (kind === "script" ? [url] : [])));
  const [ofA, ofB] = [scripts(a.files), scripts(b.files)];
  const kept = ({ kind, url }: KeptFile) => kind !== "script" || (ofA.has(url) && ofB.has(url));
  return [a.files.filter(kept), b.files.filter(kept)];
}

/** Kinds of files that name further files: while one of them is missing, the files that it names are unknown too. */
const namers: ReadonlySet<string> = new Set(["stylesheet", "document", "script"]);

/** Whether a side may need files that only the other side lists, because a file that would name them is missing. */
function lacksNamers(files: readonly KeptFile[], other: ReadonlyMap<string, KeptFile>): boolean {
  return (
    !files.some(isThere) ||
    files.some((file) => !isThere(file) && namers.has(file.kind) && isThereIn(other.get(file.url)))
  );
}

const isThereIn = (file: KeptFile | undefined): boolean => file !== undefined && isThere(file);

/** Finds addresses that only one side has but that are one file under another name. */
function pairUp(gone: readonly KeptFile[], fresh: readonly KeptFile[]): ChangedFile[] {
  const goneHashes = new Set(gone.map(({ hash }) => hash));
  const freshHashes = new Set(fresh.map(({ hash }) => hash));
  const left = Map.groupBy(
    gone.filter(({ hash }) => !freshHashes.has(hash)),
    nameOf,
  );
  const found: ChangedFile[] = [];
  for (const file of fresh) {
    if (file.hash !== null && goneHashes.has(file.hash)) continue;
    const old = left.get(nameOf(file))?.shift();
    if (old !== undefined) {
      const change = file.hash === null ? "missing" : "changed";
      found.push({ ...told(change, file), before_url: old.url, before: old.hash, after: file.hash });
    } else if (file.hash !== null) found.push({ ...told("added", file), after: file.hash });
  }
  for (const files of left.values())
    for (const file of files) found.push({ ...told("removed", file), before: file.hash });
  return found;
}

function told(change: ChangedFile["change"], { url, kind }: KeptFile): ChangedFile {
  return { change, url, before_url: null, kind, before: null, after: null };
}

/** Returns an address without its version: without the query, and without the part of its file name that is a hash. */
function nameOf({ url, kind }: KeptFile): string {
  const [path = ""] = url.split(/[?#]/, 1);
  const slash = path.lastIndexOf("/") + 1;
  const name = path.slice(slash).slice(0, nameMaxChars);
  const dot = name.indexOf(".", Math.max(1, name.lastIndexOf("-")));
  const [stem, extension] = dot === -1 ? [name, ""] : [name.slice(0, dot), name.slice(dot)];
  // a hash of eight base64url characters may itself contain a separator
  const kept = /[._-]/.test(stem.at(-9) ?? "") && looksMade(stem.slice(-8)) ? stem.slice(0, -9) : stem;
  const parts = `${kept}${extension}`.split(/[._-]/).filter((part) => part.length < 6 || !looksMade(part));
  return `${kind} ${path.slice(0, slash)}${parts.join(".")}`;
}

const nameMaxChars = 200;

function looksMade(part: string): boolean {
  return /\d/.test(part) || (/[A-Z]/.test(part) && /[a-z]/.test(part));
}
