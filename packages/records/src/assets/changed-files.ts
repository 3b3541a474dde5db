import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";

/** A file of a snapshot; `hash` in hex, null where it is missing. */
export interface KeptFile {
  url: string;
  kind: string;
  hash: string | null;
}

/**
 * Files that two snapshots of a page hold differently. One that is missing on a side is not compared: it may be there and have
 * come too late. Where an address is new because its version is in it (`site.css?v=2`, `app-3f2a91bc.js`), old and new are one
 * file; the same bytes under another address are no change.
 */
export function changedFiles(before: readonly KeptFile[], after: readonly KeptFile[]): ChangedFile[] {
  const older = new Map(before.map((file) => [file.url, file]));
  const newer = new Map(after.map((file) => [file.url, file]));
  const found: ChangedFile[] = [];
  for (const file of newer.values()) {
    const old = older.get(file.url);
    if (old !== undefined && old.hash !== null && file.hash !== null && old.hash !== file.hash)
      found.push({ ...told("changed", file), before: old.hash, after: file.hash });
  }
  const gone = [...older.values()].filter(({ url, hash }) => hash !== null && !newer.has(url));
  const fresh = [...newer.values()].filter(({ url, hash }) => hash !== null && !older.has(url));
  return [...found, ...pairUp(gone, fresh)].filter(
    ({ change }) =>
      (change !== "added" || !lacksNamers(before, newer)) && (change !== "removed" || !lacksNamers(after, older)),
  );
}

/** What names further files: while one of these is missing, those are not known either. */
const namers: ReadonlySet<string> = new Set(["stylesheet", "document"]);

/** Whether a side may need files that it does not list, which the other one does. */
function lacksNamers(files: readonly KeptFile[], other: ReadonlyMap<string, KeptFile>): boolean {
  return (
    files.every(({ hash }) => hash === null) ||
    files.some(({ url, kind, hash }) => hash === null && namers.has(kind) && other.get(url)?.hash != null)
  );
}

/** Tells which of the addresses that only one side has are one file under another name. */
function pairUp(gone: readonly KeptFile[], fresh: readonly KeptFile[]): ChangedFile[] {
  const goneHashes = new Set(gone.map(({ hash }) => hash));
  const freshHashes = new Set(fresh.map(({ hash }) => hash));
  const left = Map.groupBy(
    gone.filter(({ hash }) => !freshHashes.has(hash)),
    nameOf,
  );
  const found: ChangedFile[] = [];
  for (const file of fresh) {
    if (goneHashes.has(file.hash)) continue;
    const old = left.get(nameOf(file))?.shift();
    if (old === undefined) found.push({ ...told("added", file), after: file.hash });
    else found.push({ ...told("changed", file), before_url: old.url, before: old.hash, after: file.hash });
  }
  for (const files of left.values())
    for (const file of files) found.push({ ...told("removed", file), before: file.hash });
  return found;
}

function told(change: ChangedFile["change"], { url, kind }: KeptFile): ChangedFile {
  return { change, url, before_url: null, kind, before: null, after: null };
}

/** An address without what only tells its versions apart: its query, and the part of its file name that is made of its content. */
function nameOf({ url, kind }: KeptFile): string {
  const [path = ""] = url.split(/[?#]/, 1);
  const slash = path.lastIndexOf("/") + 1;
  const name = path.slice(slash).slice(0, nameMaxChars);
  const dot = name.indexOf(".", Math.max(1, name.lastIndexOf("-")));
  const [stem, extension] = dot === -1 ? [name, ""] : [name.slice(0, dot), name.slice(dot)];
  // eight characters of base64url may hold a separator themselves
  const kept = /[._-]/.test(stem.at(-9) ?? "") && looksMade(stem.slice(-8)) ? stem.slice(0, -9) : stem;
  const parts = `${kept}${extension}`.split(/[._-]/).filter((part) => part.length < 6 || !looksMade(part));
  return `${kind} ${path.slice(0, slash)}${parts.join(".")}`;
}

const nameMaxChars = 200;

function looksMade(part: string): boolean {
  return /\d/.test(part) || (/[A-Z]/.test(part) && /[a-z]/.test(part));
}
