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
    help: "Paths that crawls skip, one pattern per line; `*` matches anything",
    hint: "One per line, matched against the path. * matches anything.",
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
    help: "Crawl pages that robots.txt disallows; only for your own site",
    hint: "A running crawl keeps the setting it started with.",
    heldByRun: true,
    initial: false,
  }),
  scope: choice("select", crawlScope, {
    group: "crawl",
    label: "Scope",
    help: "How far crawls go from the object's URL",
    hint: "How far crawls follow links from the object's URL.",
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
    help: "For the scope `prefixes`: full URLs, or paths on the object's own origin",
    hint: "One per line: a path that starts with /, or a full URL.",
    heldByRun: true,
    onlyWith: { setting: "scope", is: "prefixes" },
    most: limits.scopePrefixesMax,
    what: "prefixes",
    line: [
      (prefix) => prefix.startsWith("/") || httpUrl.safeParse(prefix).success,
      "A prefix is a path that starts with / or a full URL",
    ],
  }),
  drop_params: lines({
    group: "crawl",
    label: "Parameters to drop",
    help: "Query parameters that do not change the page, such as tracking parameters; a trailing `*` matches any ending",
    hint: "Tracking parameters, one per line. utm_* matches all that start with utm_.",
    heldByRun: true,
    most: limits.dropParamsMax,
    what: "parameters",
    line: [
      (name) => name.length <= 100 && name !== "*",
      "A parameter name can have up to 100 characters and cannot be just *",
    ],
  }),
  request_delay_ms: whole({
    group: "crawl",
    label: "Pause between requests (ms)",
    help: "Minimum time between two requests to the site",
    hint: "Minimum time between two requests to the site. 0: as fast as it answers.",
    unit: "ms",
    initial: 0,
    min: 0,
    max: limits.requestDelayMaxMs,
  }),
  crawl_pages_max: whole({
    group: "crawl",
    label: "Maximum pages",
    help: "A crawl ends after visiting this many pages",
    hint: "Then the crawl ends.",
    heldByRun: true,
    initial: budgets.crawlPagesMax,
    min: 1,
    max: budgets.crawlPagesMax,
  }),
  crawl_depth_max: whole({
    group: "crawl",
    label: "Maximum depth",
    help: "How many links a crawl follows away from its first page",
    hint: "Number of links away from the first page.",
    heldByRun: true,
    initial: budgets.crawlDepthMax,
    min: 0,
    max: 100,
  }),
  crawl_minutes_max: whole({
    group: "crawl",
    label: "Maximum minutes",
    help: "A crawl ends after this many minutes",
    hint: "Then the crawl ends.",
    unit: "minutes",
    heldByRun: true,
    initial: budgets.crawlMinutesMax,
    min: 1,
    max: 7 * 24 * 60,
  }),
  crawl_mib_max: whole({
    group: "crawl",
    label: "Maximum MiB",
    help: "A crawl ends after receiving this much data",
    hint: "Total data received.",
    unit: "MiB",
    heldByRun: true,
    initial: budgets.crawlMibMax,
    min: 1,
    max: 1024 * 1024,
  }),
  asset_snapshots: flag({
    group: "assets",
    label: "Keep assets",
    help: "Store images, styles and fonts with each snapshot",
    hint: "Stores images, styles and fonts with each snapshot, so that you can see the page as it looked.",
    initial: true,
  }),
  keep_scripts: choice("segments", keptScripts, {
    group: "assets",
    label: "Keep scripts",
    help: "Which scripts of a page are stored with its assets, as text that never runs: `own` those of the page's own site, `all` those of other sites too",
    initial: "own",
    choices: [
      {
        value: "own",
        label: "Own site",
        words: "Stores scripts of the page's own site as text. A changed script counts as a change.",
      },
      { value: "all", label: "All", words: "Also stores scripts of other sites, such as analytics and maps." },
      { value: "none", label: "None", words: "A changed script is noticed only by its effect on the page." },
    ],
  }),
  keep_days: limit({
    group: "keep",
    label: "Maximum age in days",
    help: "Snapshots older than this many days are removed; null: no age limit",
    hint: "Older snapshots are removed.",
    unit: "days",
    max: limits.keepDaysMax,
  }),
  keep_snapshots: limit({
    group: "keep",
    label: "Maximum per page",
    help: "Maximum number of snapshots kept of each page; null: no limit",
    hint: "The oldest are removed.",
    max: limits.keepSnapshotsMax,
  }),
  keep_changed_only: flag({
    group: "keep",
    label: "Keep changes only",
    help: "Remove unchanged snapshots; the newest snapshot of a page is always kept",
    hint: "Snapshots identical to the one before are removed.",
    initial: false,
  }),
  fetch_mode: choice("segments", fetchMode, {
    group: "load",
    label: "How pages are loaded",
    help: "Whether pages are loaded as served, in a browser, or in a browser only if scripts build the page",
    heldByRun: true,
    initial: "auto",
    choices: [
      { value: "auto", label: "Auto", words: "As served, or in a browser if scripts build the page." },
      { value: "http", label: "HTTP", words: "As served. No scripts run." },
      { value: "browser", label: "Browser", words: "In a browser, after scripts ran. Slower." },
    ],
  }),
  ready_when: choice("segments", readyWhen, {
    group: "load",
    label: "When a page is ready",
    help: "When a page in the browser is ready to be stored",
    initial: "quiet",
    choices: [
      { value: "quiet", label: "Quiet", words: "When loading and changes have stopped, or after 10 seconds at most." },
      {
        value: "selector",
        label: "Element",
        words: "When an element appears. A page on which it never appears fails.",
      },
      { value: "time", label: "Time", words: "A fixed time after the page has loaded." },
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
    help: "For the rule `time`: time after the page has loaded",
    hint: "Counted from when the page has finished loading.",
    unit: "ms",
    onlyWith: { setting: "ready_when", is: "time" },
    initial: 2_000,
    min: 0,
    max: 30_000,
  }),
  user_agent: text({
    group: "visit",
    label: "User agent",
    help: "User agent that requests send; empty: the product's own. The rules in robots.txt for the product apply either way",
    hint: "Empty: the product's own user agent.",
    most: 400,
    rule: [(value) => /^[\x20-\x7e]+$/.test(value), "A user agent can contain ASCII characters only"],
  }),
  language: text({
    group: "visit",
    label: "Language",
    help: "Language that pages are requested in and the browser uses, for example de-DE; empty: none over HTTP, en-US in the browser",
    hint: "For example de-DE.",
    most: 35,
    rule: [isLanguage, "Enter a language code, for example de or pt-BR"],
  }),
  time_zone: text({
    group: "visit",
    label: "Time zone",
    help: "Time zone of the browser, for example Europe/Berlin; empty: UTC",
    hint: "For example Europe/Berlin. Empty: UTC.",
    most: 64,
    rule: [isTimeZone, "Enter an IANA time zone, for example Europe/Berlin"],
  }),
  viewport: text({
    group: "visit",
    label: "Window",
    help: "Size of the browser window and its pixel density, for example 390x844@3, followed by the word mobile for a phone; empty: 1280x900",
    hint: "Width x height @ pixel density, for example 390x844@3 mobile. Empty: 1280x900.",
    most: 40,
    rule: [
      (value) => readViewport(value) !== null,
      "Enter a window size such as 1280x900 or 390x844@3 mobile: width and height from 200 to 4000, pixel density from 0.5 to 4",
    ],
  }),
  dismiss_selectors: lines({
    group: "visit",
    label: "Buttons to click",
    help: "CSS selectors of buttons that the browser clicks if they appear, before the page is stored, for example to close cookie banners",
    hint: "CSS selectors, one per line, for example the button that closes a cookie banner.",
    most: 20,
    what: "selectors",
    line: [(selector) => selector.length <= 500, "A selector can have up to 500 characters"],
  }),
  block_list: lines({
    group: "visit",
    label: "Addresses not to load",
    help: "Addresses of files that are not loaded, one pattern per line; `*` matches anything",
    hint: "One per line, for example *://ads.example.com/*. * matches anything.",
    most: 200,
    what: "patterns",
    line: [
      (pattern) => pattern.length <= 500 && pattern !== "*",
      "A pattern can have up to 500 characters and cannot be just *",
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
    label: "Authentication type",
    help: "Basic authentication, a bearer token, or a custom header",
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
    help: "The form in which comparisons show pages by default; `auto`: formatted if a page has long lines",
    hint: "The form in which comparisons show pages by default. You can choose another one in a comparison.",
    initial: "auto",
    choices: [
      { value: "auto", label: "Formatted if lines are long" },
      { value: "source", label: "Source, as served" },
      { value: "formatted", label: "Formatted, one element per line" },
      { value: "text", label: "Text, as a reader sees it" },
    ],
  }),
  ...watchSettings,
  sitemaps: lines({
    group: "apart",
    label: "Sitemaps",
    help: "Addresses of the sitemaps to read pages from",
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
