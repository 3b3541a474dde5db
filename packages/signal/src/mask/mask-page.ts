import type { CompiledRule } from "../rules/compile-rule.js";
import { CpuLimit } from "./cpu-limit.js";
import { NotApplied } from "./not-applied.js";
import { Page, type Range } from "./page.js";

/** A part of a page that does not count, and the rule that says so. */
interface MaskedRange {
  readonly from: number;
  readonly to: number;
  readonly rule: string;
  /** That something stands here counts, only what it is does not. */
  readonly isValue?: true;
}

/** What rules do to one page. */
export interface Mask {
  /** In ascending order and apart. */
  readonly masked: readonly MaskedRange[];
  /** The same without what is only left out because a rule keeps other parts. */
  readonly named: readonly MaskedRange[];
  /** Parts whose order does not matter, for each element that holds such; of two that overlap without one holding the other, the first one. */
  readonly orders: readonly { readonly items: readonly Range[]; readonly rule: string }[];
  /** Rules that could not be evaluated, or whose elements to keep are not there, and why. */
  readonly notApplied: readonly { readonly rule: string; readonly reason: string }[];
}

/** CPU time that all rules may take on one page; those that come later are not applied. */
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

/** Ranges in ascending order without overlap; what two rules name is the first one's. */
function apart(ranges: readonly MaskedRange[]): MaskedRange[] {
  const found: MaskedRange[] = [];
  let end = 0;
  for (const range of ranges.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const from = Math.max(range.from, end);
    // a value that is not there has a place all the same
    const isEmptyValue = range.isValue === true && range.from === range.to && from === range.to;
    const isKnown = found.at(-1)?.from === from && found.at(-1)?.to === from;
    if (isEmptyValue ? isKnown : range.to <= from) continue;
    found.push({ ...range, from });
    end = range.to;
  }
  return found;
}

/** All but some parts; nothing where there are none to keep. */
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

/** Each one is put together from what is left of those inside it, so that time grows with how deep they stand. */
const orderDepthMax = 100;

/**
 * Elements come in the order of the page, but those of several rules do not; one that is named twice counts once.
 * @returns `tooDeep`: rules of those that stand in too many others, which are left out
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
