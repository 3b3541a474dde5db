/**
 * The texts of job log lines by code, here in English; the web application's catalogues have the other languages. `{name}` is a
 * placeholder; "one|other" are the singular and plural forms, chosen by `n`.
 */
export const jobLines = {
  comparing: "Comparing two states of “{name}”: {queued} of {total} pages have to be compared",
  compared: "Compared: {changed} of {total} pages differ",
  "crawl-at-budget":
    "The crawl used up its page budget: {n} more address was skipped|The crawl used up its page budget: {n} more addresses were skipped",
  "crawl-out-of-bytes": "The crawl ended: its budget of bytes is used up",
  "crawl-out-of-time": "The crawl ended: its time budget is used up",
  "crawl-finished": "Crawl finished: {found} pages found, {completed} addresses visited, {failed} failed",
  "crawl-left-out": "The crawl now also skips: {patterns}",
  "crawl-started": "Crawl of {url} started",
  "delete-instances-started": "Started deleting all instances of “{name}”: {total} to delete",
  "delete-object-started": "Started deleting the test object “{name}”: {total} to delete",
  "delete-snapshots-started": "Started deleting all snapshots of “{name}”: {total} to delete",
  deleted: "Deleted {completed} of {total}",
  "export-broken-off":
    "The export broke off: “{name}”, or some of it, was deleted while it was exported. Export it again",
  "export-left-out":
    "Exported without {n} content that the object store has lost or returns damaged|Exported without {n} contents that the object store has lost or returns damaged",
  "fetch-failed": "Failed {url}: {reason}",
  "fetch-finished": "Fetch finished: {completed} of {total} pages, {failed} failed",
  "fetch-later": "{url}: {reason} Trying again in {seconds} s.",
  fetched: "Fetched {url} ({status}, {bytes} bytes, {ms} ms)",
  "import-cancelled": "Import cancelled. What was already imported is kept",
  "import-failed": "Import failed: {reason}",
  "import-finished": "Import finished: {records} records read",
  "import-of-started": "Import of {name} started: reading the file",
  "import-started": "Import started: reading the file",
  imported:
    "Imported “{name}”: {freshInstances} of {instances} instances and {freshSnapshots} of {snapshots} snapshots are new",
  "noise-fetching": "Finding noise in “{name}”: fetching up to {total} pages twice",
  "noise-left-out":
    "{n} page was skipped because finding noise in it takes too long ({url})|{n} pages of one kind were skipped because finding noise in them takes too long ({url} and others)",
  "noise-looking": "Finding noise in “{name}”: checking stored snapshots of up to {total} pages",
  "noise-past-in-force":
    "Checked the history of {pages} pages: {made} new rules, active, or only proposed if they could hide real edits",
  "noise-past-proposed": "Checked the history of {pages} pages: {made} new rules proposed",
  "noise-twice-in-force":
    "Fetched {pages} pages twice: {made} new rules, active, or only proposed if they could hide real edits",
  "noise-twice-proposed": "Fetched {pages} pages twice: {made} new rules proposed",
  "not-begun": "The scheduled run did not start: {reason}",
  "not-modified": "Not modified since the last snapshot: {url} (304, {ms} ms)",
  "nothing-left": "Nothing was left to do, so the run ended",
  "retention-removed":
    "Retention removed {n} snapshot: {byAge} too old, {byCount} over the limit per page, {unchanged} unchanged|Retention removed {n} snapshots: {byAge} too old, {byCount} over the limit per page, {unchanged} unchanged",
  "rules-hold": "The rules now apply to the history: {pages} pages were evaluated again",
  "sitemap-failed": "Could not read {url}: {reason}",
  "sitemap-read": "Read {url}",
  "sitemap-read-partly": "Read {url}: {reason}",
  "sitemaps-read": "Sitemaps read: {found} addresses found, {failed} files failed",
  "sitemaps-started": "Started reading {n} sitemap|Started reading {n} sitemaps",
  "snapshot-queued": "Snapshot of {url} queued",
  "snapshots-queued": "{n} snapshot queued|{n} snapshots queued",
  stopped: "Stopped",
  "visit-failed": "Could not visit {url}: {reason}",
  visited: "Visited {url}",
  "visited-canonical": "Visited {url} (canonical)",
  "visited-denied": "Visited {url} (denied)",
  "visited-excluded": "Visited {url} (excluded)",
  "visited-not-html": "Visited {url} (not-html)",
  "visited-out-of-scope": "Visited {url} (out-of-scope)",
  "visited-redirected": "Visited {url} (redirected)",
} as const;
export type JobLineCode = keyof typeof jobLines;

type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** The values of a line's placeholders. If there is a `reason`, `reasonCode` may name its error code. */
export type JobValues<C extends JobLineCode> = Readonly<
  Record<NamesIn<(typeof jobLines)[C]>, string | number> & { reasonCode?: string | undefined }
>;

/** A line as its code and the values of its placeholders. */
export interface JobWords {
  readonly code: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** Makes a job line that every reader can get in their own language. */
export const jobWords = <C extends JobLineCode>(code: C, values: JobValues<C>): JobWords => ({
  code,
  values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
});

/** Returns a job line's English text. */
export function inEnglish({ code, values }: JobWords): string {
  const text: string = jobLines[code as JobLineCode];
  const [one = "", other = one] = text.split("|");
  return (values["n"] === 1 ? one : other).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
