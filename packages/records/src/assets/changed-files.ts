import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import type { TakenWith } from "@web-tester/contracts/visitor";

/** A file of a snapshot; `hash` in hex, null where it is missing, for the reason that `error` gives. */
export interface KeptFile {
  url: string;
  kind: string;
  hash: string | null;
  error: string | null;
}

/** Files of a snapshot, and which scripts are among them; null where none were looked for. */
export interface KeptFiles {
  files: readonly KeptFile[];
  scripts: TakenWith["scripts"] | null;
}

/**
 * Files that two snapshots of a page hold differently. One that is missing on a side is told where its server said that it is gone; else it
 * is not compared: it may be there and have come too late. Where an address is new because its version is in it (`site.css?v=2`,
 * `app-3f2a91bc.js`), old and new are one file; the same bytes under another address are no change. Scripts that one of the
 * snapshots did not look for are not compared.
 */
export function changedFiles(a: KeptFiles, b: KeptFiles): ChangedFile[] {
  const [before, after] = bothLookedFor(a, b);
  const older = new Map(before.map((file) => [file.url, file]));
  const newer = new Map(after.map((file) => [file.url, file]));
  const found = [...newer.values()].flatMap((file) => changeOf(older.get(file.url), file) ?? []);
  const gone = [...older.values()].filter(({ url, hash }) => hash !== null && !newer.has(url));
  const fresh = [...newer.values()].filter((file) => !older.has(file.url) && (file.hash !== null || isGone(file)));
  return [...found, ...pairUp(gone, fresh)].filter(
    ({ change }) =>
      (change !== "added" || !lacksNamers(before, newer)) && (change !== "removed" || !lacksNamers(after, older)),
  );
}

/** What becomes of a file whose address both snapshots have. */
function changeOf(old: KeptFile | undefined, file: KeptFile): ChangedFile | null {
  if (old === undefined || old.hash === file.hash) return null;
  if (old.hash !== null && file.hash !== null) return { ...told("changed", file), before: old.hash, after: file.hash };
  if (file.hash === null) return isGone(file) ? { ...told("missing", file), before: old.hash } : null;
  return isGone(old) ? { ...told("back", file), after: file.hash } : null;
}

/** Whether the server said for good that there is no such file, in the words of the loader for a status. */
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

/** What names further files: while one of these is missing, those are not known either. */
const namers: ReadonlySet<string> = new Set(["stylesheet", "document", "script"]);

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
