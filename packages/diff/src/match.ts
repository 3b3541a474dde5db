import { anchorLengths, splitAtAnchors } from "./anchors.js";
import type { Box, Changed } from "./box.js";
import type { Budget } from "./budget.js";
import { denseSteps, keepDense } from "./dense.js";
import { middleCut } from "./myers.js";
import { keepSparse } from "./sparse.js";

/**
 * Finds a longest common subsequence of two token sequences, or a long one where the budget does not allow the longest (`budget.coarse`).
 *
 * Common ends are cut, tokens that the other side lacks are dropped (they cannot be common), and the rest is worked off box by box. A box
 * gets Myers' search as long as that stays cheaper than the two engines that do not care how different the sides are: Hunt–Szymanski where
 * few tokens match, bit-parallel rows where many do. What none of them can do within its share of the budget is split at anchors, then where
 * a capped search got furthest; what is left when the budget is spent stays changed.
 * @param ids tokens are 0…ids-1.
 */
export function matchTokens(a: Int32Array, b: Int32Array, ids: number, budget: Budget): Changed {
  const changed: Changed = { a: new Uint8Array(a.length).fill(1), b: new Uint8Array(b.length).fill(1) };
  const inner = trim(a, b, { aLo: 0, aHi: a.length, bLo: 0, bHi: b.length }, changed);
  if (inner.aLo === inner.aHi || inner.bLo === inner.bHi) return changed;

  const kept = dropLonely(a, b, inner, ids);
  const found: Changed = { a: new Uint8Array(kept.a.length).fill(1), b: new Uint8Array(kept.b.length).fill(1) };
  new Search(kept.a, kept.b, kept.ids, found, budget).run();
  for (let i = 0; i < kept.a.length; i++) changed.a[kept.aAt[i] ?? 0] = found.a[i] ?? 1;
  for (let j = 0; j < kept.b.length; j++) changed.b[kept.bAt[j] ?? 0] = found.b[j] ?? 1;
  return changed;
}

/** Cuts the common ends off a box and marks them kept. */
function trim(a: Int32Array, b: Int32Array, box: Box, changed: Changed): Box {
  let { aLo, aHi, bLo, bHi } = box;
  while (aLo < aHi && bLo < bHi && a[aLo] === b[bLo]) {
    changed.a[aLo++] = 0;
    changed.b[bLo++] = 0;
  }
  while (aLo < aHi && bLo < bHi && a[aHi - 1] === b[bHi - 1]) {
    changed.a[--aHi] = 0;
    changed.b[--bHi] = 0;
  }
  return { aLo, aHi, bLo, bHi };
}

/** The tokens of a box that both sides have, renumbered from 0 upwards, with their positions. */
function dropLonely(a: Int32Array, b: Int32Array, box: Box, ids: number) {
  const sides = new Uint8Array(ids);
  for (let i = box.aLo; i < box.aHi; i++) sides[a[i] ?? 0] = 1;
  let both = 0;
  const number = new Int32Array(ids);
  for (let j = box.bLo; j < box.bHi; j++) {
    const id = b[j] ?? 0;
    if (sides[id] !== 1) continue;
    sides[id] = 2;
    number[id] = both++;
  }
  const [keptA, aAt] = keepShared(a, box.aLo, box.aHi, sides, number);
  const [keptB, bAt] = keepShared(b, box.bLo, box.bHi, sides, number);
  return { a: keptA, b: keptB, aAt, bAt, ids: both };
}

function keepShared(tokens: Int32Array, lo: number, hi: number, sides: Uint8Array, number: Int32Array): [Int32Array, Int32Array] {
  const kept = new Int32Array(hi - lo);
  const at = new Int32Array(hi - lo);
  let count = 0;
  for (let i = lo; i < hi; i++) {
    const id = tokens[i] ?? 0;
    if (sides[id] !== 2) continue;
    kept[count] = number[id] ?? 0;
    at[count++] = i;
  }
  return [kept.subarray(0, count), at.subarray(0, count)];
}

/** Elementary steps that one match costs the sparse engine (a binary search and a list entry). */
const STEPS_PER_MATCH = 12;
/** Matches that the sparse engine may hold: 12 bytes each, doubled while growing. */
const MAX_MATCHES = 6_000_000;
/** Words of row storage that the dense engine may hold: 64 MB. */
const MAX_ROW_WORDS = 16_000_000;
/** A capped search goes at least so far, so that every cut makes progress. */
const MIN_CAP = 8;

/** Tokens of both sides up to which Myers' search needs no bound: at most 2,000 steps. */
const SMALL = 64;

/** A box and what is known of it: `edits` bounds its edits (-1 unknown), `anchors` is the next anchor length to try. */
interface Task extends Box {
  readonly edits: number;
  readonly anchors: number;
}

class Search {
  private readonly forward: Int32Array;
  private readonly backward: Int32Array;
  private readonly base: number;
  private readonly numbers: Int32Array;
  private readonly tasks: Task[] = [];
  private tokensLeft: number;

  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
    ids: number,
    private readonly changed: Changed,
    private readonly budget: Budget,
  ) {
    this.forward = new Int32Array(a.length + b.length + 3);
    this.backward = new Int32Array(a.length + b.length + 3);
    this.base = b.length + 1;
    this.numbers = new Int32Array(ids);
    this.tokensLeft = a.length + b.length;
  }

  run(): void {
    this.tasks.push({ aLo: 0, aHi: this.a.length, bLo: 0, bHi: this.b.length, edits: -1, anchors: 0 });
    for (let task = this.tasks.pop(); task !== undefined; task = this.tasks.pop()) {
      const size = sizeOf(task);
      const box = trim(this.a, this.b, task, this.changed);
      const left = sizeOf(box);
      this.tokensLeft -= size - left;
      if (box.aLo === box.aHi || box.bLo === box.bHi) {
        this.tokensLeft -= left;
        continue;
      }
      if (this.budget.spent) {
        this.budget.coarse = true;
        return;
      }
      this.solve({ ...box, edits: task.edits, anchors: task.anchors }, left);
    }
  }

  private solve(task: Task, size: number): void {
    // Known to differ by few edits (an earlier search has been there), or too small for anything to be faster.
    const edits = task.edits >= 0 ? task.edits : size <= SMALL && this.budget.maxEdits >= size ? size : -1;
    if (edits >= 0) {
      this.cut(task, edits + 1, Number.MAX_SAFE_INTEGER);
      return;
    }
    const share = (this.budget.steps * size) / Math.max(size, this.tokensLeft);
    const n = task.aHi - task.aLo;
    const m = task.bHi - task.bLo;
    const dense = denseSteps(n, m);
    const rowWords = 2 * Math.ceil(n / 32) * Math.ceil(Math.sqrt(m));
    const denseFits = dense <= share && rowWords <= MAX_ROW_WORDS;
    const whole = task.anchors < anchorLengths.length;
    if (this.budget.maxEdits >= n + m && (denseFits || whole)) {
      const local = this.localize(task);
      this.budget.steps -= size;
      const sparse = local.matches * STEPS_PER_MATCH + size;
      const sparseFits = sparse <= share && local.matches <= MAX_MATCHES;
      if (denseFits || sparseFits) {
        const useSparse = sparseFits && (!denseFits || sparse < dense);
        const cost = useSparse ? sparse : dense;
        if (this.tryCut(task, Math.sqrt(cost) + MIN_CAP, cost)) return;
        const changed: Changed = { a: this.changed.a.subarray(task.aLo, task.aHi), b: this.changed.b.subarray(task.bLo, task.bHi) };
        if (useSparse) keepSparse(local.a, local.b, local.ids, changed);
        else keepDense(local.a, local.b, local.ids, changed);
        this.budget.steps -= cost;
        this.tokensLeft -= size;
        return;
      }
    }
    if (whole) {
      if (this.tryCut(task, Math.sqrt(share / 4), share / 4)) return;
      this.budget.coarse = true;
      this.anchor(task, size);
    } else this.cut(task, this.capped(Math.min(1024, share / (2 * size))), share);
  }

  /** Splits at the longest anchors there are; without any, leaves the box to capped searches. */
  private anchor(task: Task, size: number): void {
    for (let level = task.anchors; level < anchorLengths.length; level++) {
      this.budget.steps -= size;
      const boxes = splitAtAnchors(this.a, this.b, task, anchorLengths[level] ?? 1, this.changed);
      if (boxes === undefined) continue;
      let open = 0;
      for (const box of boxes) {
        open += sizeOf(box);
        this.tasks.push({ ...box, edits: -1, anchors: level + 1 });
      }
      this.tokensLeft -= size - open;
      return;
    }
    this.tasks.push({ ...task, anchors: anchorLengths.length });
  }

  /** Cuts the box on a shortest path if one is found within the cap. */
  private tryCut(task: Task, cap: number, maxSteps: number): boolean {
    const cut = middleCut(this.a, this.b, task, this.forward, this.backward, this.base, this.capped(cap), maxSteps);
    this.budget.steps -= cut.steps;
    if (cut.exact) this.push(task, cut);
    return cut.exact;
  }

  /** Cuts the box in any case. */
  private cut(task: Task, cap: number, maxSteps: number): void {
    const cut = middleCut(this.a, this.b, task, this.forward, this.backward, this.base, Math.max(MIN_CAP, cap), maxSteps);
    this.budget.steps -= cut.steps;
    if (!cut.exact) this.budget.coarse = true;
    this.push(task, cut);
  }

  private capped(cap: number): number {
    return Math.min(cap, this.budget.maxEdits / 2);
  }

  private push(task: Task, cut: { a: number; b: number; before: number; after: number }): void {
    this.tasks.push({ aLo: cut.a, aHi: task.aHi, bLo: cut.b, bHi: task.bHi, edits: cut.after, anchors: task.anchors });
    this.tasks.push({ aLo: task.aLo, aHi: cut.a, bLo: task.bLo, bHi: cut.b, edits: cut.before, anchors: task.anchors });
  }

  /** The box's tokens, renumbered so that engines need memory for this box only, and how many pairs of them match. */
  private localize(task: Task) {
    const { numbers } = this;
    const a = new Int32Array(task.aHi - task.aLo);
    const b = new Int32Array(task.bHi - task.bLo);
    const counts = new Int32Array(a.length);
    let ids = 0;
    for (let i = 0; i < a.length; i++) {
      const token = this.a[task.aLo + i] ?? 0;
      let number = numbers[token] ?? 0;
      if (number === 0) {
        number = ++ids;
        numbers[token] = number;
      }
      a[i] = number - 1;
      counts[number - 1] = (counts[number - 1] ?? 0) + 1;
    }
    let matches = 0;
    for (let j = 0; j < b.length; j++) {
      const number = numbers[this.b[task.bLo + j] ?? 0] ?? 0;
      b[j] = number === 0 ? ids : number - 1;
      if (number > 0) matches += counts[number - 1] ?? 0;
    }
    for (let i = task.aLo; i < task.aHi; i++) numbers[this.a[i] ?? 0] = 0;
    return { a, b, ids, matches };
  }
}

function sizeOf(box: Box): number {
  return box.aHi - box.aLo + (box.bHi - box.bLo);
}
