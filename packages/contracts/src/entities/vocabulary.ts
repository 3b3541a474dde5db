import { z } from "zod";
import { limits } from "../limits.js";

/** The id of a row: a UUIDv7 as text. */
export const id = z.uuid().describe("UUIDv7");
/** Of what ISO 8601 allows, PostgreSQL knows no year 0, no offset of 16 hours and no second with thousands of digits. */
const known = /^(?!0000)[^.]*(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-5]):\d\d)$/;
export const timestamp = z.iso
  .datetime({ offset: true, abort: true })
  .refine(
    (text) => known.test(text),
    "must be a time from the year 1 on, to the nanosecond at most, with an offset of less than 16 hours, such as 2026-01-31T12:00:00Z",
  )
  .describe("ISO 8601");
export const count = z.int().nonnegative();
export const authType = z.enum(["basic", "bearer", "header"]);
export type AuthType = z.infer<typeof authType>;
export const fetchMode = z.enum(["auto", "http", "browser"]);
export type FetchMode = z.infer<typeof fetchMode>;
/** What happens with noise that is found automatically. */
export const noiseMode = z.enum(["propose", "apply", "off"]);
/** Which scripts of a page are kept as texts: none, those of its own site, all. */
export const keptScripts = z.enum(["own", "all", "none"]);
export type KeptScripts = z.infer<typeof keptScripts>;
/** When a page in the browser is ready to be stored: when it is at rest, when it shows an element, or after a time. */
export const readyWhen = z.enum(["quiet", "selector", "time"]);
/** How a page was loaded in the end: over plain HTTP, or in Chromium. */
export const fetchModeUsed = z.enum(["http", "browser"]);
export type FetchModeUsed = z.infer<typeof fetchModeUsed>;
export const diffType = z.enum(["lines", "words", "chars"]);
export type DiffType = z.infer<typeof diffType>;
/** The form in which a page's content is compared or read: as served, with every element on a line, or as text for a reader. */
export const contentForm = z.enum(["source", "formatted", "text"]);
export type ContentForm = z.infer<typeof contentForm>;
/** A requested form; `auto`: formatted if the lines of a page are too long to compare, else source. */
export const formChoice = z.enum([...contentForm.options, "auto"]);
export type FormChoice = z.infer<typeof formChoice>;
export const diffView = z.enum(["unified", "split"]);
export type DiffView = z.infer<typeof diffView>;
/** How two rendered pages are arranged: one above the other, or side by side. The screen also has a slider. */
export const visualLayout = z.enum(["stack", "side"]);
/** How far crawls go from the object's URL; `path` is the default. */
export const crawlScope = z.enum(["path", "host", "domain", "prefixes"]);
export type CrawlScope = z.infer<typeof crawlScope>;
/** Why a crawl did not visit an address that it found; `pages` and `depth` are the budgets of that name, `too-long` the limit for addresses. */
export const skipReason = z.enum(["excluded", "out-of-scope", "denied", "trap", "pages", "depth", "too-long"]);
export type SkipReason = z.infer<typeof skipReason>;
/** The limit that ended a crawl. */
export const budgetName = z.enum(["pages", "time", "bytes"]);
export type BudgetName = z.infer<typeof budgetName>;
/**
 * What a run does. A run is one piece of work with a progress bar. `rules`: evaluates the history again after a rule has changed; `noise`:
 * finds what differs in every fetch; `look`: fetches pages of another run again before that is reported; `compare`: compares all pages of
 * two states.
 */
export const runKind = z.enum([
  "crawl",
  "sitemaps",
  "snapshot-all",
  "snapshot-one",
  "delete-instances",
  "delete-snapshots",
  "delete-object",
  "rules",
  "noise",
  "look",
  "compare",
]);
export type RunKind = z.infer<typeof runKind>;
/** The kinds of run that share the bar `rules`. */
export const rulesRunKind = z.enum(["rules", "noise"]);
export type RulesRunKind = z.infer<typeof rulesRunKind>;
const isRunKind = (text: string): boolean => runKind.options.some((kind) => kind === text);
/** A comma-separated list of run kinds: `crawl,sitemaps`. */
export const runKinds = z
  .string()
  .refine(
    (text) => text.split(",").every(isRunKind),
    `must be one of ${runKind.options.join(", ")}, or several of them separated by commas`,
  );
export const runState = z.enum(["running", "finished", "cancelled"]);
/** The facts of a snapshot besides its content and files; a difference in one of them is a change of its own. */
export const snapshotState = z.enum(["created", "queued", "running", "done", "failed", "cancelled"]);
export type SnapshotState = z.infer<typeof snapshotState>;
/** Whether a snapshot differs from the one before it; `pending` until the differ has compared them. */
export const changeKind = z.enum(["pending", "first", "unchanged", "changed"]);
export type ChangeKind = z.infer<typeof changeKind>;
/** What a snapshot says beside its content and its files, and what is a change of its own. */
export const pageFact = z.enum([
  "status",
  "redirect",
  "content_type",
  "csp",
  "x_robots_tag",
  "title",
  "canonical",
  "robots",
]);
export type PageFact = z.infer<typeof pageFact>;
/** Orders of an object's instances, besides the default (what needs attention first). */
export const instanceOrder = z.enum(["name", "path", "fetched", "changed", "size"]);
export type InstanceOrder = z.infer<typeof instanceOrder>;
/** Filters of an object's instances: by the status of their newest snapshot, or `gone` for pages that are gone, moved or not linked any more. */
export const instanceFilter = z.enum(["changed", "failed", "gone"]);
export type InstanceFilterName = z.infer<typeof instanceFilter>;
/** The status of an instance, taken from its newest snapshot, in the order in which lists show them. */
export const instanceStatus = z.enum([
  "failed",
  "running",
  "changed",
  "first",
  "unchanged",
  "fetched",
  "queued",
  "none",
]);
export type InstanceStatus = z.infer<typeof instanceStatus>;
export const httpUrl = z
  .string()
  .trim()
  .min(1, "Enter a URL")
  .max(limits.urlMaxChars, `A URL can have up to ${limits.urlMaxChars} characters`)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    "Enter a full URL that starts with http:// or https://",
  )
  .refine(
    (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === "",
    "Remove the user name and password from the URL and enter them under Options",
  );

/** The most characters of a stored address of a page's files and redirects; few servers accept longer ones. */
const webAddressMaxChars = 16_384;
/** An address found on the web, unchanged: http or https, and possibly longer than a person may enter. */
export const webAddress = z
  .string()
  .max(webAddressMaxChars, `An address can have up to ${webAddressMaxChars} characters`)
  .refine(isWebAddress, "must be a full URL that starts with http:// or https://");

/** Whether a text is an absolute http or https address. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/**
 * How the objects of a schema are made: `z.object` for stored values and answers, which may have more fields in a newer version;
 * `z.strictObject` for calls, so that misspelt or misplaced fields are refused.
 */
export type ObjectOf = typeof z.strictObject;
