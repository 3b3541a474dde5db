import { spellAlike } from "@web-tester/urls/wildcard";
import { wildcardSet } from "@web-tester/urls/wildcard-set";

/** What a host's robots.txt asks of this crawler. */
export interface Robots {
  /** Whether the crawler may load an address of that host; `/robots.txt` itself is always allowed. */
  isAllowed: (url: URL) => boolean;
  /** The pause between two requests that the file asks for; null where it asks for none. Not bounded: the caller limits it. */
  crawlDelayMs: number | null;
  /** Sitemap addresses as written, of all groups, in order, each once; not resolved, not checked. */
  sitemaps: readonly string[];
}

const maxBytes = 500 * 1024;
const maxWildcardRules = 1_000;

/**
 * Returns what the answer to `GET /robots.txt` means (RFC 9309 §2.3.1), after redirects. 2xx: the file's rules. 4xx: there
 * is no file, all is allowed. 429, 5xx, any other status and no answer at all (null): nothing is allowed for now; ask
 * again later, at the latest after 24 hours.
 * @param product the product token of our User-Agent, without version
 */
export function robotsOf(status: number | null, body: Uint8Array, product: string): Robots {
  if (status !== null && status >= 200 && status < 300) return parseRobots(body, product);
  const isMissing = status !== null && status >= 400 && status < 500 && status !== 429;
  return { isAllowed: isMissing ? () => true : isRobotsFile, crawlDelayMs: null, sitemaps: [] };
}

/**
 * Reads a robots.txt by RFC 9309: groups that name `product` are joined (if there are none, those for `*`), the longest
 * matching rule wins, allow wins over disallow of equal length, and what no rule matches is allowed. At most 500 KiB are
 * read; a line cut off there is ignored.
 *
 * Agents are compared by product token, case-insensitively: the letters, `-` and `_` that a `user-agent` value starts
 * with. Paths and rules are brought to the same percent-encoding first. As in Google's parser, a missing colon and common
 * misspellings are understood, unknown lines do not end a group, and allowing `/folder/index.html` allows `/folder/`. All
 * rules are matched together, so that a long file makes matching little slower than a short one. Of the rules with `*`, at
 * most 1,000 per group count.
 */
export function parseRobots(body: Uint8Array, product: string): Robots {
  const file = readGroups(linesOf(body), product.toLowerCase());
  const rules = (file.isNamed ? file.named : file.others).rules.toSorted(byPrecedence);
  const first = wildcardSet(rules.map(patternOf));
  return {
    isAllowed: (url) => {
      if (isRobotsFile(url)) return true;
      const place = spellAlike(url.pathname + url.search);
      return rules[first(place)]?.isAllow ?? true;
    },
    crawlDelayMs: (file.isNamed ? file.named : file.others).delayMs,
    sitemaps: [...file.sitemaps],
  };
}

interface Rule {
  pattern: string;
  isAllow: boolean;
}

interface Group {
  rules: Rule[];
  delayMs: number | null;
  wildcards: number;
}

interface File {
  named: Group;
  others: Group;
  isNamed: boolean;
  sitemaps: Set<string>;
}

function readGroups(lines: readonly string[], product: string): File {
  const file: File = {
    named: { rules: [], delayMs: null, wildcards: 0 },
    others: { rules: [], delayMs: null, wildcards: 0 },
    isNamed: false,
    sitemaps: new Set(),
  };
  let current = new Set<Group>();
  let isReadingAgents = false;
  for (const line of lines) {
    const record = readLine(line);
    switch (record?.key) {
      case "user-agent":
        if (!isReadingAgents) current = new Set();
        isReadingAgents = true;
        if (/^\*(?:\s|$)/.test(record.value)) current.add(file.others);
        else if (product !== "" && productToken(record.value) === product) {
          current.add(file.named);
          file.isNamed = true;
        }
        break;
      case "allow":
      case "disallow": {
        isReadingAgents = false;
        const rules = rulesOf(record.value, record.key === "allow");
        const isWild = record.value.includes("*");
        for (const group of current) {
          if (isWild) group.wildcards += 1;
          if (!isWild || group.wildcards <= maxWildcardRules) group.rules.push(...rules);
        }
        break;
      }
      case "crawl-delay":
        for (const group of current) group.delayMs ??= delayOf(record.value);
        break;
      case "sitemap":
        if (record.value !== "") file.sitemaps.add(record.value);
        break;
      case undefined:
        break;
    }
  }
  return file;
}

function linesOf(body: Uint8Array): string[] {
  const lines = new TextDecoder(encodingOf(body)).decode(body.subarray(0, maxBytes)).split(/\r\n|\r|\n/);
  return body.length > maxBytes ? lines.slice(0, -1) : lines;
}

/**
 * RFC 9309 §2.3 demands UTF-8, but editors also save UTF-16, whose rules would all be lost. It is known by its byte order mark, or by zero
 * bytes beside its first two characters.
 */
function encodingOf(body: Uint8Array): string {
  const [first, second] = body;
  const zeros = Array.from(body.subarray(0, 4), (byte) => (byte === 0 ? "0" : "x")).join("");
  if ((first === 0xff && second === 0xfe) || zeros === "x0x0") return "utf-16le";
  if ((first === 0xfe && second === 0xff) || zeros === "0x0x") return "utf-16be";
  return "utf-8";
}

const keys = new Map([
  ["user-agent", "user-agent"],
  ["useragent", "user-agent"],
  ["user agent", "user-agent"],
  ["allow", "allow"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["crawl-delay", "crawl-delay"],
  ["crawldelay", "crawl-delay"],
  ["sitemap", "sitemap"],
  ["site-map", "sitemap"],
]);

function readLine(line: string): { key: string; value: string } | null {
  const [text = ""] = line.split("#", 1);
  const colon = text.indexOf(":");
  const [left, right] = colon === -1 ? splitAtSpace(text.trim()) : [text.slice(0, colon), text.slice(colon + 1)];
  const key = keys.get(left.trim().toLowerCase());
  return key === undefined ? null : { key, value: right.trim() };
}

/** A line without a colon is a record only where it is two words. */
function splitAtSpace(text: string): [string, string] {
  const [left = "", right = "", ...more] = text.length > 4_000 ? [] : text.split(/\s+/);
  return more.length === 0 ? [left, right] : ["", ""];
}

function productToken(value: string): string {
  return (/^[A-Za-z_-]*/.exec(value)?.[0] ?? "").toLowerCase();
}

function rulesOf(value: string, isAllow: boolean): Rule[] {
  if (value === "") return [];
  const pattern = spellAlike(value);
  const folder = isAllow ? /^(.*\/)index\.html?$/.exec(pattern)?.[1] : undefined;
  return folder === undefined
    ? [{ pattern, isAllow }]
    : [
        { pattern, isAllow },
        { pattern: `${folder}$`, isAllow },
      ];
}

function delayOf(value: string): number | null {
  return /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Math.round(Number(value) * 1_000) : null;
}

function byPrecedence(a: Rule, b: Rule): number {
  return b.pattern.length - a.pattern.length || Number(b.isAllow) - Number(a.isAllow);
}

/** A rule matches from the start of path and query, to their end only with a final `$`. */
function patternOf({ pattern }: Rule): string {
  return pattern.endsWith("$") ? pattern.slice(0, -1) : `${pattern}*`;
}

function isRobotsFile(url: URL): boolean {
  return url.pathname === "/robots.txt";
}
