import { readLength, type ShownWindow } from "./css-length.js";

const charsMax = 1_000;
const depthMax = 10;

/**
 * Whether a media query list (Media Queries 4) holds in a window, on a screen that a person sees.
 * @returns null where that depends on unknown sizes
 */
export function matchesMedia(list: string, window: ShownWindow): boolean | null {
  if (list.trim() === "") return true;
  if (list.length > charsMax) return null;
  return any(splitOutside(list, ",").map((query) => matchesQuery(query.trim().toLowerCase(), window)));
}

const scripting = /\(\s*scripting\s*(?::\s*(enabled|initial-only|none)\s*)?\)/gi;
const scheme = /\(\s*prefers-color-scheme\s*(?::\s*(light|dark)\s*)?\)/gi;

/**
 * Replaces media queries (in CSS or an attribute) that ask whether scripts run or which colour scheme is preferred by the
 * answers of the time when the page was seen: scripts ran, and light colours were preferred. Where it is shown no script
 * runs, and a reader may prefer dark colours, of which its scripts knew nothing.
 */
export function answersAsSeen(text: string): string {
  const answer = (isMet: boolean) => (isMet ? "(min-width:0)" : "(max-width:0)");
  return text
    .replaceAll(scripting, (_, value?: string) => answer(value === undefined || value.toLowerCase() === "enabled"))
    .replaceAll(scheme, (_, value?: string) => answer(value?.toLowerCase() !== "dark"));
}

/** Tells the same for a condition in `sizes`, which has no media types. */
export function matchesCondition(condition: string, window: ShownWindow): boolean | null {
  return condition.length > charsMax ? null : holds(condition.trim().toLowerCase(), window, 0);
}

function matchesQuery(query: string, window: ShownWindow): boolean | null {
  const typed = /^(?:(not|only)\s+)?([a-z-]+)(?:\s+and\s+(.+))?$/s.exec(query);
  if (typed === null || typed[2] === "not") return holds(query, window, 0);
  const [, prefix, type, condition] = typed;
  const isOfType = type === "all" || type === "screen";
  const holdsToo = !isOfType ? false : condition === undefined ? true : holds(condition, window, 0);
  return prefix === "not" ? not(holdsToo) : holdsToo;
}

function holds(condition: string, window: ShownWindow, depth: number): boolean | null {
  if (depth > depthMax) return null;
  if (/^not\s/.test(condition)) return not(holds(condition.slice(4).trim(), window, depth + 1));
  for (const [word, join] of [
    ["or", any],
    ["and", all],
  ] as const) {
    const parts = splitOutside(condition, word);
    if (parts.length > 1) return join(parts.map((part) => holds(part.trim(), window, depth + 1)));
  }
  if (!condition.startsWith("(") || !condition.endsWith(")")) return null;
  const inner = condition.slice(1, -1).trim();
  return inner.startsWith("(") || /^not\s/.test(inner) ? holds(inner, window, depth + 1) : holdsFeature(inner, window);
}

function holdsFeature(feature: string, window: ShownWindow): boolean | null {
  const plain = /^([a-z-]+)(?:\s*:\s*(.+))?$/s.exec(feature);
  if (plain !== null) return holdsPlain(plain[1] ?? "", plain[2]?.trim(), window);
  const range = /^(.+?)(<=|>=|<|>|=)(.+?)(?:(<=|>=|<|>)(.+))?$/s.exec(feature);
  if (range === null) return null;
  const sides = [range[1], range[3], range[5]].flatMap((side) => (side === undefined ? [] : [side.trim()]));
  const name = sides.find((side) => /^-?[a-z][a-z-]*$/.test(side));
  if (name === undefined) return null;
  const values = sides.map((side) => (side === name ? actual(name, window) : wanted(name, side, window)));
  const signs = [range[2], range[4]].flatMap((sign) => (sign === undefined ? [] : [sign]));
  return all(signs.map((sign, index) => compare(values[index] ?? null, sign, values[index + 1] ?? null)));
}

function holdsPlain(name: string, value: string | undefined, window: ShownWindow): boolean | null {
  switch (name) {
    case "orientation": {
      const { width, height } = window;
      if (width === null || height === null) return null;
      return value === (height >= width ? "portrait" : "landscape");
    }
    // the settings that pages are fetched with: packages/loader/src/browser/visitor.ts
    case "prefers-color-scheme":
      return value === "light";
    case "prefers-reduced-motion":
      return value === undefined || value === "reduce";
    case "scripting":
      return value === undefined || value === "enabled";
  }
  const bound = /^(?:-webkit-)?(min|max)-(.+)$/.exec(name);
  const of = (bound?.[2] ?? name).replace(/^-webkit-/, "");
  const now = actual(of, window);
  if (value === undefined) return now === null ? null : now > 0;
  return compare(now, bound === null ? "=" : bound[1] === "min" ? ">=" : "<=", wanted(of, value, window));
}

/** Returns the present value of a feature; null where it is unknown. */
function actual(name: string, { width, height, scale }: ShownWindow): number | null {
  switch (name) {
    case "width":
    case "device-width":
      return width;
    case "height":
    case "device-height":
      return height;
    case "aspect-ratio":
    case "device-aspect-ratio":
      return width === null || height === null ? null : width / height;
    case "resolution":
    case "device-pixel-ratio":
      return scale;
    default:
      return null;
  }
}

function wanted(name: string, value: string, window: ShownWindow): number | null {
  if (name === "device-pixel-ratio") return numberOf(value);
  if (name.endsWith("aspect-ratio")) {
    const [width, height = "1"] = value.split("/").map((part) => part.trim());
    const parts = [numberOf(width ?? ""), numberOf(height)] as const;
    return parts[0] === null || parts[1] === null || parts[1] === 0 ? null : parts[0] / parts[1];
  }
  if (name !== "resolution") return readLength(value, window);
  const density = /^(.+?)(dppx|x|dpi|dpcm)$/.exec(value);
  const number = numberOf(density?.[1] ?? "");
  if (number === null) return null;
  return density?.[2] === "dpi" ? number / 96 : density?.[2] === "dpcm" ? (number * 2.54) / 96 : number;
}

function numberOf(text: string): number | null {
  return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$/.test(text) ? Number(text) : null;
}

function compare(left: number | null, sign: string, right: number | null): boolean | null {
  if (left === null || right === null) return null;
  switch (sign) {
    case "<":
      return left < right;
    case ">":
      return left > right;
    case "<=":
      return left <= right;
    case ">=":
      return left >= right;
    default:
      return left === right;
  }
}

const not = (value: boolean | null): boolean | null => (value === null ? null : !value);

function any(values: readonly (boolean | null)[]): boolean | null {
  return values.includes(true) ? true : values.includes(null) ? null : false;
}

function all(values: readonly (boolean | null)[]): boolean | null {
  return values.includes(false) ? false : values.includes(null) ? null : true;
}

/** Splits at a comma or word outside of parentheses. */
export function splitOutside(text: string, by: "," | "and" | "or"): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "(") depth += 1;
    else if (sign === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0 && isAt(text, at, by)) {
      parts.push(text.slice(from, at));
      at += by.length - 1;
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

function isAt(text: string, at: number, by: string): boolean {
  if (!text.startsWith(by, at)) return false;
  return by === "," || (/[\s)]/.test(text[at - 1] ?? "") && /[\s(]/.test(text[at + by.length] ?? ""));
}
