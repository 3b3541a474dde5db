// @ts-check

/**
 * One figure with its expected value. `step`: the step of the job in which it was measured. `must`: a wrong figure fails
 * the bench; without it, a missed aim is only shown.
 * @typedef {{ step: string, what: string, expected: string, seen: string, ok: boolean, must: boolean }} Check
 */

/** Collects checks and prints each as it is made. */
export class Report {
  /** @type {Check[]} */
  checks = [];
  #step = "";

  /** @param {(line: string) => void} log */
  constructor(log) {
    this.log = log;
  }

  /** Begins a step, to which all further figures belong. @param {string} name */
  begin(name) {
    this.#step = name;
    this.log(name);
  }

  /**
   * Adds a count that must be exactly as expected.
   * @param {string} what
   * @param {number | string} expected
   * @param {number | string} seen
   * @param {string} [from] where the expectation comes from
   */
  equal(what, expected, seen, from) {
    this.#add({
      what,
      expected: `${shown(expected)}${from === undefined ? "" : ` (${from})`}`,
      seen: shown(seen),
      ok: expected === seen,
      must: true,
    });
  }

  /**
   * Adds two sets that must be the same; the first three items that are in only one of them are shown.
   * @param {string} what
   * @param {ReadonlySet<string>} expected
   * @param {ReadonlySet<string>} seen
   * @param {string} [from]
   */
  sameSet(what, expected, seen, from) {
    const difference = setDifference(expected, seen);
    this.#add({
      what,
      expected: `${shown(expected.size)}${from === undefined ? "" : ` (${from})`}`,
      seen: `${shown(seen.size)}${difference}`,
      ok: difference === "",
      must: true,
    });
  }

  /**
   * Adds a fact that must hold.
   * @param {string} what
   * @param {boolean} ok
   * @param {string} seen
   */
  holds(what, ok, seen) {
    this.#add({ what, expected: "yes", seen, ok, must: true });
  }

  /**
   * Adds a figure with an upper bound.
   * @param {string} what
   * @param {number} bound
   * @param {number} seen
   * @param {string} unit
   * @param {{ must?: boolean, digits?: number }} [options]
   */
  below(what, bound, seen, unit, { must = false, digits = 0 } = {}) {
    this.#add({
      what,
      expected: `< ${shown(bound)} ${unit}`,
      seen: `${seen.toFixed(digits)} ${unit}`,
      ok: seen < bound,
      must,
    });
  }

  /**
   * Adds a figure with a lower bound.
   * @param {string} what
   * @param {number} bound
   * @param {number} seen
   * @param {string} unit
   * @param {{ must?: boolean, digits?: number }} [options]
   */
  atLeast(what, bound, seen, unit, { must = false, digits = 0 } = {}) {
    this.#add({
      what,
      expected: `≥ ${shown(bound)} ${unit}`,
      seen: `${seen.toFixed(digits)} ${unit}`,
      ok: seen >= bound,
      must,
    });
  }

  /** Whether every figure with `must` is right. */
  get passed() {
    return this.checks.every((check) => check.ok || !check.must);
  }

  /** @param {Omit<Check, "step">} figure */
  #add(figure) {
    const check = { step: this.#step, ...figure };
    this.checks.push(check);
    this.log(`  ${verdict(check).padEnd(9)} ${check.what}: ${check.seen}; expected ${check.expected}`);
  }
}

/** @param {Check} check */
export function verdict(check) {
  if (check.ok) return "OK";
  return check.must ? "DIFFERENT" : "MISSED";
}

/**
 * Returns a Markdown table with aligned columns.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @returns {string}
 */
export function markdownTable(head, rows) {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  const [first = [], ...others] = cells;
  return [line(first), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...others.map(line)].join("\n");
}

/**
 * @param {readonly number[]} values at least one
 * @returns {number}
 */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return ((sorted[middle] ?? Number.NaN) + (sorted[sorted.length - 1 - middle] ?? Number.NaN)) / 2;
}

/** @param {ReadonlySet<string>} expected @param {ReadonlySet<string>} seen */
function setDifference(expected, seen) {
  const without = (/** @type {ReadonlySet<string>} */ some, /** @type {ReadonlySet<string>} */ others) =>
    [...some].filter((item) => !others.has(item));
  const few = (/** @type {string} */ word, /** @type {string[]} */ items) =>
    items.length === 0
      ? []
      : [`${items.length} ${word}: ${items.slice(0, 3).join(", ")}${items.length > 3 ? ", …" : ""}`];
  const parts = [...few("missing", without(expected, seen)), ...few("too many", without(seen, expected))];
  return parts.length === 0 ? "" : `, ${parts.join("; ")}`;
}

/** @param {number | string} value */
function shown(value) {
  return typeof value === "number" ? value.toLocaleString("en-US") : value;
}
