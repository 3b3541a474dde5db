import { z } from "zod";
import { limits } from "../limits.js";

/** Ids are UUIDv7 strings; anything else cannot name a row. */
export const id = z.uuid().describe("UUIDv7");
export const timestamp = z.iso.datetime({ offset: true }).describe("ISO 8601");
export const count = z.int().nonnegative();
export const authType = z.enum(["basic", "bearer", "header"]);
export type AuthType = z.infer<typeof authType>;
export const fetchMode = z.enum(["auto", "http", "browser"]);
export type FetchMode = z.infer<typeof fetchMode>;
/** How a page was really loaded: plain HTTP, or Chromium. */
export const fetchModeUsed = z.enum(["http", "browser"]);
export type FetchModeUsed = z.infer<typeof fetchModeUsed>;
export const diffType = z.enum(["lines", "words", "chars"]);
export type DiffType = z.infer<typeof diffType>;
export const diffView = z.enum(["unified", "split"]);
export type DiffView = z.infer<typeof diffView>;
/** How two rendered pages stand; the screen adds a slider. */
export const visualLayout = z.enum(["stack", "side"]);
/** How far a crawl goes from the object's URL; the path rule is the default. */
export const crawlScope = z.enum(["path", "host", "domain", "prefixes"]);
export type CrawlScope = z.infer<typeof crawlScope>;
/** Why an address that a crawl met was not visited; `pages` and `depth` are budgets. */
export const skipReason = z.enum(["excluded", "out-of-scope", "denied", "trap", "pages", "depth"]);
export type SkipReason = z.infer<typeof skipReason>;
/** Which budget ended a crawl. */
export const budgetName = z.enum(["pages", "time", "bytes"]);
export type BudgetName = z.infer<typeof budgetName>;
/** What a run does: the unit of work that has a progress bar. */
export const runKind = z.enum([
  "crawl",
  "sitemaps",
  "snapshot-all",
  "snapshot-one",
  "delete-instances",
  "delete-snapshots",
  "delete-object",
]);
export type RunKind = z.infer<typeof runKind>;
export const runState = z.enum(["running", "finished", "cancelled"]);
/** `created`: a row without a fetch asked for yet; `done` and `failed` are final, `cancelled` too. */
export const snapshotState = z.enum(["created", "queued", "running", "done", "failed", "cancelled"]);
export type SnapshotState = z.infer<typeof snapshotState>;
/** How a snapshot compares with the one before it; `pending` until the differ has looked. */
export const changeKind = z.enum(["pending", "first", "unchanged", "changed"]);
export type ChangeKind = z.infer<typeof changeKind>;
/** The state of an instance as its newest snapshot tells it, in the order that lists show. */
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
  .max(limits.urlMaxChars, `A URL may have at most ${limits.urlMaxChars} characters`)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    "Enter a full URL that begins with http:// or https://",
  )
  .refine(
    (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === "",
    "Leave user name and password out of the URL and set them under Options",
  );

/** Longest address that is kept of a page's files and redirects; servers answer longer ones seldom. */
const webAddressMaxChars = 16_384;
/** An address that was met on the web, as it was met: longer than one that a person may enter, and nothing but http and https. */
export const webAddress = z
  .string()
  .max(webAddressMaxChars, `An address may have at most ${webAddressMaxChars} characters`)
  .refine(isWebAddress, "must be a full URL that begins with http:// or https://");

/** Whether a text is an absolute address that a browser would ask a site for. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
