import type { CompiledRule } from "../rules/compile-rule.js";
import { CpuLimit } from "./cpu-limit.js";
import { NotApplied } from "./not-applied.js";
import { Page, type Range } from "./page.js";

/** A part of a page that does not count, and the rule that hides it. */
interface MaskedRange {
  readonly from: number;
  readonly to: number;
  readonly rule: string;
  /** Set where the presence of a value counts, but not the value itself. */
  readonly isValue?: true;
}

/** The effect of rules on one page. */
export interface Mask {
  /** The parts that do not count, ascending, without overlap. */
  readonly masked: readonly MaskedRange[];
  /** The same, without parts that are only left out because a `keep` rule keeps others. */
  readonly named: readonly MaskedRange[];
  /**
   * Lists of parts whose order does not matter, one per element that contains them; of two that overlap without nesting,
   * only the first.
   */
  readonly orders: readonly { readonly items: readonly Range[]; readonly rule: string }[];
  /** Rules that could not be evaluated, or whose elements to keep are missing, with the reason. */
  readonly notApplied: readonly { readonly rule: string; readonly reason: string }[];
}

/** The CPU time that all rules together may take on one page; later rules are not applied. */
const togetherMs = 2_000;

/** @param rules those that hold for this page */
export function maskPage(html: string, rules: readonly CompiledRule[]): Mask {
  const page = new Page(html);
  const masked: MaskedRange[] = [];
  const kept: MaskedRange[] = [];
  const orders: { items: readonly Range[]; rule: string }[] = [];
  const notApplied: { rule: string; reason: string }[] = [];
  const limit = new CpuLimit(togetherMs);
  for (const rule of rules) {
    try {
      if (limit.isSpent) throw new NotApplied("the rules together take too long on this page");
      const effect = rule.evaluate(page);
      const ranges = (of: readonly Range[]) => of.map(([from, to]) => ({ from, to, rule: rule.id }));
      if (effect === null) continue;
      if ("mask" in effect) for (const range of ranges(effect.mask)) masked.push(range);
      else if ("values" in effect) for (const range of ranges(effect.values)) masked.push({ ...range, isValue: true });
      else if ("keep" in effect) for (const range of ranges(effect.keep)) kept.push(range);
      else for (const items of effect.order) if (items.length > 1) orders.push({ items, rule: rule.id });
    } catch (error) {
      if (!(error instanceof NotApplied) && !(error instanceof RangeError)) throw error;
      notApplied.push({ rule: rule.id, reason: error.message });
    }
  }
  const named = apart(masked);
  const gaps = gapsBetween(apart(kept), html.length);
  const ordered = nested(orders);
  for (const rule of ordered.tooDeep) notApplied.push({ rule, reason: "what it names is nested too deeply" });
  return {
    ...{ masked: gaps.length === 0 ? named : apart([...masked, ...gaps]), named },
    ...{ orders: ordered.orders, notApplied },
  };
}

/** Returns ranges in ascending order without overlap; an overlap belongs to the first rule. */
function apart(ranges: readonly MaskedRange[]): MaskedRange[] {
  const found: MaskedRange[] = [];
  let end = 0;
  for (const range of ranges.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const from = Math.max(range.from, end);
    // a missing value has a place all the same
    const isEmptyValue = range.isValue === true && range.from === range.to && from === range.to;
    const isKnown = found.at(-1)?.from === from && found.at(-1)?.to === from;
    if (isEmptyValue ? isKnown : range.to <= from) continue;
    found.push({ ...range, from });
    end = range.to;
  }
  return found;
}

/** Returns everything but the kept parts; nothing where there are none. */
function gapsBetween(kept: readonly MaskedRange[], length: number): MaskedRange[] {
  const [first] = kept;
  if (first === undefined) return [];
  const gaps: MaskedRange[] = [];
  let at = 0;
  for (const { from, to, rule } of kept) {
    if (from > at) gaps.push({ from: at, to: from, rule });
    at = to;
  }
  if (at < length) gaps.push({ from: at, to: length, rule: first.rule });
  return gaps;
}

/** The deepest nesting of orders: each one is composed of what is left of those inside it, so time grows with the depth. */
const orderDepthMax = 100;

/**
 * Keeps orders that nest properly. Elements of one rule come in page order, those of several rules do not; an element that
 * is named twice counts once.
 * @returns `tooDeep`: rules of orders that are nested too deeply, which are left out
 */
function nested(orders: readonly Mask["orders"][number][]): { orders: Mask["orders"]; tooDeep: Set<string> } {
  const from = ({ items }: Mask["orders"][number]) => items[0]?.[0] ?? 0;
  const to = ({ items }: Mask["orders"][number]) => items.at(-1)?.[1] ?? 0;
  const found: Mask["orders"][number][] = [];
  const tooDeep = new Set<string>();
  const open: Mask["orders"][number][] = [];
  for (const order of orders.toSorted((a, b) => from(a) - from(b) || to(b) - to(a))) {
    while (open.length > 0 && to(open.at(-1) ?? order) <= from(order)) open.pop();
    const outer = open.at(-1);
    const fits =
      outer === undefined ||
      outer.items.some(
        ([start, end]) => start <= from(order) && to(order) <= end && (start < from(order) || to(order) < end),
      );
    if (!fits) continue;
    if (open.length >= orderDepthMax) {
      tooDeep.add(order.rule);
      continue;
    }
    found.push(order);
    open.push(order);
  }
  return { orders: found, tooDeep };
}
