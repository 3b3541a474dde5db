/**
 * The texts of job log lines by code, here in English; the web application's catalogues have the other languages. `{name}` is a
 * placeholder; "one|other" are the singular and plural forms, chosen by `n`.
 */
export const jobLines = {
  comparing: "Comparing “{name}” at two times: {queued} of {total} pages are looked at",
  compared: "Compared: {changed} of {total} pages differ",
  "crawl-at-budget":
    "The crawl is at its page budget: {n} more address was left out|The crawl is at its page budget: {n} more addresses were left out",
  "crawl-out-of-bytes": "The crawl was ended: its bytes budget is spent",
  "crawl-out-of-time": "The crawl was ended: its time budget is spent",
  "crawl-finished": "Crawl finished: {found} pages found, {completed} addresses visited, {failed} failed",
  "crawl-left-out": "Left out from now on: {patterns}",
  "crawl-started": "Crawl of {url} started",
  "delete-instances-started": "Deleting all instances of “{name}” started: {total} to go",
  "delete-object-started": "Deleting the test object “{name}” started: {total} to go",
  "delete-snapshots-started": "Deleting all snapshots of “{name}” started: {total} to go",
  deleted: "Deleted {completed} of {total}",
  "fetch-failed": "Failed {url}: {reason}",
  "fetch-finished": "Fetch finished: {completed} of {total} pages, {failed} failed",
  "fetch-later": "{url}: {reason} Trying again in {seconds} s.",
  fetched: "Fetched {url} ({status}, {bytes} bytes, {ms} ms)",
  "import-cancelled": "Import cancelled; what is written stays",
  "import-failed": "Import failed: {reason}",
  "import-finished": "Import finished: {records} records read",
  "import-of-started": "Import of {name} started: reading the file",
  "import-started": "Import started: reading the file",
  imported:
    "Imported “{name}”: {freshInstances} of {instances} instances and {freshSnapshots} of {snapshots} snapshots are new",
  "noise-fetching": "Finding noise of “{name}”: up to {total} pages are fetched twice",
  "noise-left-out":
    "{n} page is left out: finding noise in it takes too long ({url})|{n} pages of one kind are left out: finding noise in them takes too long ({url} and others)",
  "noise-looking": "Finding noise of “{name}”: up to {total} pages are looked at as they were fetched",
  "noise-past-in-force":
    "Looked at the history of {pages} pages: {made} new rules, in force, or proposed where they may hide edits",
  "noise-past-proposed": "Looked at the history of {pages} pages: {made} new rules, proposed",
  "noise-twice-in-force":
    "Looked at {pages} pages twice: {made} new rules, in force, or proposed where they may hide edits",
  "noise-twice-proposed": "Looked at {pages} pages twice: {made} new rules, proposed",
  "not-begun": "Not begun as scheduled: {reason}",
  "not-modified": "Not modified since the last snapshot: {url} (304, {ms} ms)",
  "nothing-left": "Nothing of it was left to do, so it was ended",
  "retention-removed":
    "Retention removed {n} snapshot: {byAge} too old, {byCount} more than are kept of a page, {unchanged} unchanged|Retention removed {n} snapshots: {byAge} too old, {byCount} more than are kept of a page, {unchanged} unchanged",
  "rules-hold": "The rules hold for the history now: {pages} pages were looked at again",
  "sitemap-failed": "Could not read {url}: {reason}",
  "sitemap-read": "Read {url}",
  "sitemap-read-partly": "Read {url}: {reason}",
  "sitemaps-read": "Sitemaps read: {found} addresses found, {failed} files failed",
  "sitemaps-started": "Reading {n} sitemap started|Reading {n} sitemaps started",
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
