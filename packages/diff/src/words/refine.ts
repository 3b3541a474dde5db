import type { Changed } from "../lcs/box.js";
import type { Budget } from "../lcs/budget.js";
import { kindAt, kindOf } from "./characters.js";
import { commonPrefix, commonSuffix } from "../lcs/common-ends.js";
import { matchTokens } from "../lcs/match.js";
import { slideChanges } from "../lcs/slide.js";
import { type Tokens, TokenNumbers, type Unit, countTokens, isBlank } from "./tokenize.js";

/** Two stretches of text that differ: offsets in UTF-16 units, ends exclusive. */
export interface Region {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** The changes inside a region. Ranges are flat (start, end, start, end, …), absolute, ascending and not adjacent. */
export interface Refinement {
  readonly a: number[];
  readonly b: number[];
  removed: number;
  added: number;
}

/** Common ends of regions beyond this many units are cut off as text before tokenizing. */
const LONG = 4_096;

/** Unit to fall back to when a region has too many tokens of one kind. */
const coarser = { chars: "words", words: "tags", tags: null } as const;

/** Shared by all comparisons, which never nest: its table takes a quarter of a megabyte. */
const numbers = new TokenNumbers();

/** Finds the changed words or characters inside changed lines. One per comparison. */
export class Refiner {
  /**
   * @param count the unit of `removed` and `added`: characters, or words that are not white space.
   * @param forReading whether to join changed words over the unchanged blank between them.
   */
  constructor(
    private readonly a: string,
    private readonly b: string,
    private readonly count: "words" | "chars",
    private readonly forReading: boolean,
    private readonly maxTokens: number,
    private readonly budget: Budget,
  ) {}

  /**
   * Compares a region unit by unit. Adds what it finds to `into`, which must end before the region.
   * @param fallback unit to compare by first when the region has too many tokens.
   */
  refine(region: Region, unit: Unit, into: Refinement, fallback: Unit | null = coarser[unit]): void {
    if (region.aFrom === region.aTo || region.bFrom === region.bTo) {
      this.addWhole(region, into);
      return;
    }
    const inner = region.aTo - region.aFrom + (region.bTo - region.bFrom) > LONG ? this.withoutEnds(region) : region;
    const cut = this.tokenize(inner, unit);
    if (cut === undefined) {
      this.budget.coarse = true;
      if (fallback === null) this.addWhole(inner, into);
      else this.refineThrough(inner, fallback, unit, into);
      return;
    }
    const { a, b } = cut;
    const changed = matchTokens(a.ids, b.ids, numbers.count, this.budget);
    if (this.forReading) this.joinOverBlanks(inner, a, changed);
    slideChanges(a.ids, changed.a, changed.b, tokenPlaces(this.a, inner.aFrom, a.ends));
    slideChanges(b.ids, changed.b, changed.a, tokenPlaces(this.b, inner.bFrom, b.ends));
    into.removed += this.collect(this.a, inner.aFrom, a, changed.a, unit, into.a);
    into.added += this.collect(this.b, inner.bFrom, b, changed.b, unit, into.b);
  }

  /** Compares by `outer` first and by `unit` only inside what changed there. */
  refineThrough(region: Region, outer: Unit, unit: Unit, into: Refinement): void {
    const inner = this.withoutEnds(region);
    const cut = this.tokenize(inner, outer);
    if (cut === undefined) {
      this.refine(inner, unit, into, coarser[outer]);
      return;
    }
    const { a, b } = cut;
    const changed = matchTokens(a.ids, b.ids, numbers.count, this.budget);
    // Copied, as the nested calls reuse the buffers.
    const aEnds = a.ends.slice();
    const bEnds = b.ends.slice();
    const whole = inner.aTo - inner.aFrom + (inner.bTo - inner.bFrom);
    let aDone = inner.aFrom;
    let bDone = inner.bFrom;
    for (let i = 0, j = 0; i <= aEnds.length || j <= bEnds.length; i++, j++) {
      while (i < aEnds.length && changed.a[i] === 1) i++;
      while (j < bEnds.length && changed.b[j] === 1) j++;
      const part = {
        aFrom: aDone,
        aTo: i > 0 ? (aEnds[i - 1] ?? inner.aTo) : aDone,
        bFrom: bDone,
        bTo: j > 0 ? (bEnds[j - 1] ?? inner.bTo) : bDone,
      };
      const units = part.aTo - part.aFrom + (part.bTo - part.bFrom);
      if (units > 0)
        this.budget.within((this.budget.steps * units) / whole, () => this.refine(part, unit, into, coarser[outer]));
      aDone = aEnds[i] ?? inner.aTo;
      bDone = bEnds[j] ?? inner.bTo;
    }
  }

  private tokenize(region: Region, unit: Unit): { a: Tokens; b: Tokens } | undefined {
    numbers.reset();
    const a = numbers.tokenize("a", unit, this.a, region.aFrom, region.aTo, this.maxTokens);
    const b = a && numbers.tokenize("b", unit, this.b, region.bFrom, region.bTo, this.maxTokens - a.ids.length);
    return a && b && { a, b };
  }

  /** Releases the texts. Call it when the comparison is done. */
  release(): void {
    numbers.release();
  }

  /** Counts a region as changed from end to end. */
  addWhole(region: Region, into: Refinement): void {
    addRange(into.a, region.aFrom, region.aTo);
    addRange(into.b, region.bFrom, region.bTo);
    into.removed += countTokens(this.count, this.a, region.aFrom, region.aTo);
    into.added += countTokens(this.count, this.b, region.bFrom, region.bTo);
  }

  /** Cuts common text off both ends, at places that are token boundaries for every unit: after ">" or a line, before "<". */
  private withoutEnds({ aFrom, aTo, bFrom, bTo }: Region): Region {
    const { a, b } = this;
    const head = commonPrefix(a, aFrom, b, bFrom, Math.min(aTo - aFrom, bTo - bFrom));
    let from = Math.max(0, head - 1);
    while (from > 0 && !endsUnit(a.charCodeAt(aFrom + from - 1))) from--;
    // The rest could begin with a combining mark of the character before the cut: then no cut.
    if (kindAt(a, aFrom + from) === kindOf.extend) from = 0;
    let tail = commonSuffix(a, aTo, b, bTo, Math.min(aTo - aFrom, bTo - bFrom) - from);
    while (tail > 0 && a.charCodeAt(aTo - tail) !== 60) tail--;
    return { aFrom: aFrom + from, aTo: aTo - tail, bFrom: bFrom + from, bTo: bTo - tail };
  }

  /** Joins changes around an unchanged blank: "big red" → "small green" reads better as one change. */
  private joinOverBlanks(region: Region, a: Tokens, changed: Changed): void {
    let j = 0;
    for (let i = 0; i < a.ids.length; i++) {
      if (changed.a[i] === 1) continue;
      while (changed.b[j] === 1) j++;
      const start = i > 0 ? (a.ends[i - 1] ?? 0) : region.aFrom;
      const inside =
        changed.a[i - 1] === 1 && changed.a[i + 1] === 1 && changed.b[j - 1] === 1 && changed.b[j + 1] === 1;
      if (inside && kindAt(this.a, start) === kindOf.space) {
        changed.a[i] = 1;
        changed.b[j] = 1;
      }
      j++;
    }
  }

  private collect(
    text: string,
    from: number,
    tokens: Tokens,
    changed: Uint8Array,
    unit: Unit,
    ranges: number[],
  ): number {
    let count = 0;
    let start = from;
    for (let i = 0; i < changed.length; i++) {
      const end = tokens.ends[i] ?? start;
      if (changed[i] === 1) {
        addRange(ranges, start, end);
        if (unit !== this.count) count += countTokens(this.count, text, start, end);
        else if (unit !== "words" || !isBlank(text, start)) count++;
      }
      start = end;
    }
    return count;
  }
}

function endsUnit(unit: number): boolean {
  return unit === 62 || unit === 10;
}

function addRange(ranges: number[], from: number, to: number): void {
  if (from === to) return;
  if (ranges.at(-1) === from) ranges[ranges.length - 1] = to;
  else ranges.push(from, to);
}

/** Prefers changes that start with a tag or a line, then those that start after a blank or end with one. */
function tokenPlaces(text: string, from: number, ends: Int32Array) {
  return (start: number): { indent: number; penalty: number } => {
    const at = start > 0 ? (ends[start - 1] ?? from) : from;
    if (at === from || text.charCodeAt(at) === 60 || text.charCodeAt(at - 1) === 10) return { indent: 0, penalty: 0 };
    if (isBlank(text, at - 1)) return { indent: 0, penalty: 1 };
    return { indent: 0, penalty: isBlank(text, at) ? 2 : 3 };
  };
}
