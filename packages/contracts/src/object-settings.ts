import type { z } from "zod";
import { authType, crawlScope, fetchMode, formChoice, httpUrl, keptScripts, readyWhen } from "./entities/vocabulary.js";
import { budgets, limits } from "./limits.js";
import { choice, flag, limit, lines, type Setting, text, whole } from "./setting-kinds.js";
import { isLanguage, isTimeZone, readViewport } from "./visitor.js";
import { watchSettings } from "./watch-settings.js";

/**
 * The settings of a test object, each defined once. The API, columns and statements, export and import, the form and the table in the
 * operator's guide are all derived from here: a new setting needs an entry here, a migration that adds its column, and the code that uses
 * it.
 */

export const objectSettings = {
  exclude_list: lines({
    group: "exclude",
    label: "Exclude URL patterns",
    help: "Paths that a crawl leaves out, one pattern per line; `*` stands for anything",
    hint: "One per line, matched against the path. * stands for anything.",
    heldByRun: true,
    most: limits.excludePatternsMax,
    what: "exclude patterns",
    line: [
      (pattern) => pattern.length <= limits.excludePatternMaxChars,
      `An exclude pattern may have at most ${limits.excludePatternMaxChars} characters`,
    ],
  }),
  ignore_robots: flag({
    group: "crawl",
    label: "Ignore robots.txt (own site)",
    help: "Crawl what robots.txt denies; for one's own site",
    hint: "A crawl that is running keeps the rules that it began with.",
    heldByRun: true,
    initial: false,
  }),
  scope: choice("select", crawlScope, {
    group: "crawl",
    label: "Scope",
    help: "How far a crawl goes from the object's URL",
    hint: "How far links are followed from the object's URL.",
    heldByRun: true,
    initial: "path",
    choices: [
      { value: "path", label: "Below the URL's path" },
      { value: "host", label: "The whole host" },
      { value: "domain", label: "The whole domain" },
      { value: "prefixes", label: "These places only" },
    ],
  }),
  scope_prefixes: lines({
    group: "crawl",
    label: "Places",
    help: "For the scope of named places: full URLs, or paths on the object's own origin",
    hint: "One per line: a path that begins with /, or a full URL.",
    heldByRun: true,
    onlyWith: { setting: "scope", is: "prefixes" },
    most: limits.scopePrefixesMax,
    what: "prefixes",
    line: [
      (prefix) => prefix.startsWith("/") || httpUrl.safeParse(prefix).success,
      "A prefix is a path that begins with / or a full URL",
    ],
  }),
  drop_params: lines({
    group: "crawl",
    label: "Parameters to drop",
    help: "Query parameters that make no other page (tracking); a trailing `*` matches any rest",
    hint: "Tracking parameters, one per line. utm_* stands for all that begin so.",
    heldByRun: true,
    most: limits.dropParamsMax,
    what: "parameters",
    line: [
      (name) => name.length <= 100 && name !== "*",
      "A parameter name has at most 100 characters and is not * alone",
    ],
  }),
  request_delay_ms: whole({
    group: "crawl",
    label: "Pause between requests (ms)",
    help: "Least time between two requests to the site",
    hint: "The least time between two requests to the site. 0: as fast as it answers.",
    unit: "ms",
    initial: 0,
    min: 0,
    max: limits.requestDelayMaxMs,
  }),
  crawl_pages_max: whole({
    group: "crawl",
    label: "Pages at most",
    help: "A crawl ends when it has visited so many pages",
    hint: "Then the crawl ends.",
    heldByRun: true,
    initial: budgets.crawlPagesMax,
    min: 1,
    max: budgets.crawlPagesMax,
  }),
  crawl_depth_max: whole({
    group: "crawl",
    label: "Depth at most",
    help: "A crawl follows links so many steps away from its first page",
    hint: "Links from the first page.",
    heldByRun: true,
    initial: budgets.crawlDepthMax,
    min: 0,
    max: 100,
  }),
  crawl_minutes_max: whole({
    group: "crawl",
    label: "Minutes at most",
    help: "A crawl ends after so long",
    hint: "Then the crawl ends.",
    unit: "minutes",
    heldByRun: true,
    initial: budgets.crawlMinutesMax,
    min: 1,
    max: 7 * 24 * 60,
  }),
  crawl_mib_max: whole({
    group: "crawl",
    label: "MiB at most",
    help: "A crawl ends when it has received so much",
    hint: "Received in all.",
    unit: "MiB",
    heldByRun: true,
    initial: budgets.crawlMibMax,
    min: 1,
    max: 1024 * 1024,
  }),
  asset_snapshots: flag({
    group: "assets",
    label: "Keep assets",
    help: "Store pictures, styles and fonts with each snapshot",
    hint: "Pictures, styles and fonts are stored with each snapshot, so that it can be shown as it looked.",
    initial: true,
  }),
  keep_scripts: choice("segments", keptScripts, {
    group: "assets",
    label: "Keep scripts",
    help: "Which scripts of a page are kept among its assets, as texts that never run: `own` those of the page's own site, `all` those of other sites too",
    initial: "own",
    choices: [
      {
        value: "own",
        label: "Own site",
        words: "Scripts of the page's own site are kept as texts: one that changed is a change.",
      },
      { value: "all", label: "All", words: "Scripts of other sites, such as counters and maps, are kept too." },
      { value: "none", label: "None", words: "A script that changed is seen only by what it does to the page." },
    ],
  }),
  keep_days: limit({
    group: "keep",
    label: "Days at most",
    help: "Snapshots older than this many days are removed; null: no age is too old",
    hint: "Older snapshots are removed.",
    unit: "days",
    max: limits.keepDaysMax,
  }),
  keep_snapshots: limit({
    group: "keep",
    label: "Per page at most",
    help: "Snapshots kept of each page at most; null: any number",
    hint: "The oldest are removed.",
    max: limits.keepSnapshotsMax,
  }),
  keep_changed_only: flag({
    group: "keep",
    label: "Keep changes only",
    help: "Remove snapshots that are unchanged; the newest of a page always stays",
    hint: "Snapshots that are the same as the one before are removed.",
    initial: false,
  }),
  fetch_mode: choice("segments", fetchMode, {
    group: "load",
    label: "How pages are loaded",
    help: "Whether pages are loaded as served, in a browser, or in a browser where scripts draw the page",
    heldByRun: true,
    initial: "auto",
    choices: [
      { value: "auto", label: "Auto", words: "As served; in a browser where scripts draw the page." },
      { value: "http", label: "HTTP", words: "As served. No script runs." },
      { value: "browser", label: "Browser", words: "In a browser, after scripts ran. Slower." },
    ],
  }),
  ready_when: choice("segments", readyWhen, {
    group: "load",
    label: "When a page is ready",
    help: "What is waited for before a page in the browser is kept",
    initial: "quiet",
    choices: [
      { value: "quiet", label: "Quiet", words: "When nothing loads and nothing changes any more, within 10 seconds." },
      { value: "selector", label: "Element", words: "When an element is there. A page that never shows it fails." },
      { value: "time", label: "Time", words: "When so much time has passed since the page loaded." },
    ],
  }),
  ready_selector: text({
    group: "load",
    label: "Element to wait for",
    help: "For the rule `selector`: a CSS selector",
    hint: "A CSS selector, for example main article or #price.",
    onlyWith: { setting: "ready_when", is: "selector" },
    most: 1_000,
  }),
  ready_ms: whole({
    group: "load",
    label: "Time to wait (ms)",
    help: "For the rule `time`: time since the page loaded",
    hint: "Counted from when the page has loaded.",
    unit: "ms",
    onlyWith: { setting: "ready_when", is: "time" },
    initial: 2_000,
    min: 0,
    max: 30_000,
  }),
  user_agent: text({
    group: "visit",
    label: "User agent",
    help: "What requests call themselves; empty: the product's own name. The rules of robots.txt are those for the product all the same",
    hint: "Empty: the product's own name.",
    most: 400,
    rule: [(value) => /^[\x20-\x7e]+$/.test(value), "A user agent is made of letters, digits and signs of ASCII"],
  }),
  language: text({
    group: "visit",
    label: "Language",
    help: "The language that pages are asked for in and the browser speaks, for example de-DE; empty: none over HTTP, en-US in the browser",
    hint: "For example de-DE.",
    most: 35,
    rule: [isLanguage, "Enter a language as browsers name it, for example de or pt-BR"],
  }),
  time_zone: text({
    group: "visit",
    label: "Time zone",
    help: "Of the browser, as Europe/Berlin; empty: UTC",
    hint: "For example Europe/Berlin. Empty: UTC.",
    most: 64,
    rule: [isTimeZone, "Enter a time zone by its IANA name, for example Europe/Berlin"],
  }),
  viewport: text({
    group: "visit",
    label: "Window",
    help: "Size of the browser's window and how many pixels make one, as 390x844@3, with the word mobile for a phone; empty: 1280x900",
    hint: "Width x height, for example 390x844@3 mobile. Empty: 1280x900.",
    most: 40,
    rule: [
      (value) => readViewport(value) !== null,
      "Enter a window as 1280x900 or 390x844@3 mobile: 200 to 4000 wide and high, 0.5 to 4 pixels each",
    ],
  }),
  dismiss_selectors: lines({
    group: "visit",
    label: "Click away",
    help: "CSS selectors of buttons that are clicked where they show, in the browser, before the page is kept: for cookie banners",
    hint: "CSS selectors, one per line: the button that closes a cookie banner.",
    most: 20,
    what: "selectors",
    line: [(selector) => selector.length <= 500, "A selector has at most 500 characters"],
  }),
  block_list: lines({
    group: "visit",
    label: "Addresses not to load",
    help: "Addresses of files that are not loaded, one pattern per line; `*` stands for anything",
    hint: "One per line: *://ads.example.com/*. * stands for anything.",
    most: 200,
    what: "patterns",
    line: [
      (pattern) => pattern.length <= 500 && pattern !== "*",
      "A pattern has at most 500 characters and is not * alone",
    ],
  }),
  auth_enabled: flag({
    group: "auth",
    label: "Fetch authentication",
    help: "Send credentials with requests to the site's own origin",
    initial: false,
  }),
  auth_type: choice("segments", authType, {
    group: "auth",
    label: "Kind of authentication",
    help: "Basic authentication, a bearer token, or a header of one's own",
    initial: "basic",
    choices: [
      { value: "basic", label: "Basic" },
      { value: "bearer", label: "Bearer" },
      { value: "header", label: "Header" },
    ],
  }),
  auth_username: text({
    group: "auth",
    label: "User name or header name",
    help: "Basic: user name. Header: header name. Bearer: unused",
    most: limits.secretMaxChars,
  }),
  diff_form: choice("select", formChoice, {
    group: "compare",
    label: "Compare pages as",
    help: "The form in which a comparison shows pages, unless another is asked for; `auto`: formatted where a page has long lines",
    hint: "The form in which a comparison shows pages, unless another is chosen there.",
    initial: "auto",
    choices: [
      { value: "auto", label: "Formatted where lines are long" },
      { value: "source", label: "Source, as served" },
      { value: "formatted", label: "Formatted, an element on a line" },
      { value: "text", label: "Text, what a reader gets" },
    ],
  }),
  ...watchSettings,
  sitemaps: lines({
    group: "apart",
    label: "Sitemaps",
    help: "Addresses of sitemaps that pages are read from",
    most: limits.sitemapsMax,
    what: "sitemaps",
    line: httpUrl,
  }),
};

export type ObjectSettings = typeof objectSettings;
export type SettingName = keyof ObjectSettings;
/** The values of an object's settings, by name. */
export type SettingValues = { [Name in SettingName]: z.infer<ObjectSettings[Name]["shown"]> };

export const settingNames = Object.keys(objectSettings) as SettingName[];

/** A setting without its specific type, for code that treats all settings alike. */
export const settingOf = (name: SettingName): Setting<unknown> => objectSettings[name];

type Schemas<Part extends "schema" | "shown"> = { [Name in SettingName]: ObjectSettings[Name][Part] };

function schemasOf<Part extends "schema" | "shown">(part: Part): Schemas<Part> {
  const entries = settingNames.map((name) => [name, settingOf(name)[part].describe(settingOf(name).help)]);
  return Object.fromEntries(entries) as Schemas<Part>;
}

/** The schemas by setting of what the API accepts. */
export const settingSchemas = schemasOf("schema");
/** The schemas by setting of what the API returns. */
export const shownSettings = schemasOf("shown");

/** Picks the settings from a row or record. */
export function pickSettings(row: SettingValues): SettingValues {
  return Object.fromEntries(settingNames.map((name) => [name, row[name]])) as SettingValues;
}

/** The settings of a new object. */
export const initialSettings = Object.fromEntries(
  settingNames.map((name) => [name, settingOf(name).initial]),
) as SettingValues;
