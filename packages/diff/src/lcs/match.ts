import { anchorLengths, splitAtAnchors } from "./anchors.js";
import type { Box, Changed } from "./box.js";
import type { Budget } from "./budget.js";
import { denseSteps, keepDense, rowWords } from "./dense.js";
import { localize, mostCommon } from "./localize.js";
import { middleCut } from "./myers.js";
import { Scratch } from "./scratch.js";
import { keepSparse } from "./sparse.js";

/**
 * Finds a longest common subsequence of two token sequences, or a long one where the budget does not allow the longest
 * (`budget.coarse`).
 *
 * Common ends are cut, tokens that the other side lacks are dropped (they cannot be common), and the rest is processed box
 * by box. A box gets Myers' search as long as that stays cheaper than the two engines whose cost does not depend on the
 * difference: Hunt–Szymanski where few tokens match, bit-parallel rows where many do. A box that none of them can do
 * within its share of the budget is split at anchors, then processed in windows that the budget allows; what is left when
 * the budget is spent stays changed.
 * @param ids tokens are 0…ids-1.
 */
export function matchTokens(a: Int32Array, b: Int32Array, ids: number, budget: Budget): Changed {
  const changed: Changed = { a: new Uint8Array(a.length).fill(1), b: new Uint8Array(b.length).fill(1) };
  const inner = trim(a, b, { aLo: 0, aHi: a.length, bLo: 0, bHi: b.length }, changed);
  if (inner.aLo === inner.aHi || inner.bLo === inner.bHi) return changed;

  const kept = dropLonely(a, b, inner, ids);
  if (kept.a.length === 0) return changed;
  const found: Changed = { a: new Uint8Array(kept.a.length).fill(1), b: new Uint8Array(kept.b.length).fill(1) };
  new Search(kept.a, kept.b, kept.ids, found, budget).run();
  for (let i = 0; i < kept.a.length; i++) changed.a[kept.aAt[i] ?? 0] = found.a[i] ?? 1;
  for (let j = 0; j < kept.b.length; j++) changed.b[kept.bAt[j] ?? 0] = found.b[j] ?? 1;
  return changed;
}

/** Cuts the common ends off a box and marks them as kept. */
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

const scratch = {
  sides: new Scratch(),
  numbers: new Scratch(),
  a: new Scratch(),
  b: new Scratch(),
  aAt: new Scratch(),
  bAt: new Scratch(),
  forward: new Scratch(),
  backward: new Scratch(),
};

/** Returns the tokens of a box that both sides have, renumbered from 0, with their positions. Valid until the next call. */
function dropLonely(a: Int32Array, b: Int32Array, box: Box, ids: number) {
  // 0: not seen, 1: in `a`, from 2 on: in both, as number + 2.
  const seen = scratch.sides.zeros(ids);
  for (let i = box.aLo; i < box.aHi; i++) seen[a[i] ?? 0] = 1;
  let both = 0;
  for (let j = box.bLo; j < box.bHi; j++) if (seen[b[j] ?? 0] === 1) seen[b[j] ?? 0] = 2 + both++;
  const [keptA, aAt] = keepShared(a, box.aLo, box.aHi, seen, scratch.a, scratch.aAt);
  const [keptB, bAt] = keepShared(b, box.bLo, box.bHi, seen, scratch.b, scratch.bAt);
  return { a: keptA, b: keptB, aAt, bAt, ids: both };
}

function keepShared(
  tokens: Int32Array,
  lo: number,
  hi: number,
  seen: Int32Array,
  keptIn: Scratch,
  atIn: Scratch,
): [Int32Array, Int32Array] {
  const kept = keptIn.take(hi - lo);
  const at = atIn.take(hi - lo);
  let count = 0;
  for (let i = lo; i < hi; i++) {
    const number = (seen[tokens[i] ?? 0] ?? 0) - 2;
    if (number < 0) continue;
    kept[count] = number;
    at[count++] = i;
  }
  return [kept.subarray(0, count), at];
}

/**
 * A step takes about a nanosecond: 32 cells of the dense engine. One diagonal of Myers' search takes several, as its
 * branches are hard to predict.
 */
const STEPS_PER_DIAGONAL = 5;
/** Steps to renumber or hash one token. */
const STEPS_PER_TOKEN = 8;
/** Steps that one match costs the sparse engine (a binary search and a list entry). */
const STEPS_PER_MATCH = 12;
/** Matches that the sparse engine may hold: 12 bytes each, doubled while growing. */
const MAX_MATCHES = 6_000_000;
/** Words of row storage that the dense engine may hold: 64 MB. */
const MAX_ROW_WORDS = 16_000_000;
/** The share of the possibly common tokens that anchors must cover to be trusted. */
const MIN_COVERED = 0.25;
/** The least cap of Myers' search, in edits per direction. */
const MIN_CAP = 8;
/** Steps per token below which searching for anchors would leave nothing for the gaps between them. */
const MIN_SHARE = 128;
/** Tokens per side of a sliding window. */
const MIN_WINDOW = 256;
const MAX_WINDOW = 16_384;
/** Tokens of both sides up to which Myers' search needs no bound: at most 2,000 steps. */
const SMALL = 64;

/** A box with `edits`, an upper bound of its edits (-1 unknown), and `anchors`, the next anchor length to try. */
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
  /** The edits that the box of the last failed search needs at least. */
  private atLeast = 0;

  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
    ids: number,
    private readonly changed: Changed,
    private readonly budget: Budget,
  ) {
    this.forward = scratch.forward.take(a.length + b.length + 3);
    this.backward = scratch.backward.take(a.length + b.length + 3);
    this.base = b.length + 1;
    this.numbers = scratch.numbers.zeros(ids);
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
    // Known to differ by few edits (an earlier search found that), or too small for anything to be faster.
    const edits = task.edits >= 0 ? task.edits : size <= SMALL && this.budget.maxEdits >= size ? size : -1;
    if (edits >= 0 && this.tryCut(task, Number.MAX_SAFE_INTEGER, edits + 1)) return;

    const share = this.shareOf(size);
    const n = task.aHi - task.aLo;
    const m = task.bHi - task.bLo;
    const dense = denseSteps(n, m);
    const denseFits = dense <= share && rowWords(n, m) <= MAX_ROW_WORDS;
    if (!denseFits && share < size * MIN_SHARE) {
      // One short search for few edits is always worth it.
      if (this.tryCut(task, Math.max(share / 4, size * STEPS_PER_TOKEN))) return;
      this.budget.coarse = true;
      this.slideWindow(task, size);
      return;
    }
    if (this.budget.maxEdits >= size) {
      const local = localize(this.a, this.b, task, this.numbers);
      this.budget.steps -= size * STEPS_PER_TOKEN;
      const sparse = local.matches * STEPS_PER_MATCH + size;
      const sparseFits = sparse <= share && local.matches <= MAX_MATCHES;
      if (denseFits || sparseFits) {
        const useSparse = sparseFits && (!denseFits || sparse < dense);
        const cost = useSparse ? sparse : dense;
        if (this.tryCut(task, cost / 4)) return;
        const changed: Changed = {
          a: this.changed.a.subarray(task.aLo, task.aHi),
          b: this.changed.b.subarray(task.bLo, task.bHi),
        };
        if (useSparse) {
          keepSparse(local.a, local.b, local.ids, changed);
          this.budget.steps -= cost;
        } else this.budget.steps -= keepDense(local.a, local.b, local.ids, changed, this.atLeast);
        this.tokensLeft -= size;
        return;
      }
    }
    if (this.tryCut(task, share / 8)) return;
    this.budget.coarse = true;
    if (!this.anchor(task, size)) this.slideWindow(task, size);
  }

  /** Splits the box at the longest anchors that cover enough. */
  private anchor(task: Task, size: number): boolean {
    if (task.anchors === anchorLengths.length) return false;
    const enough = MIN_COVERED * mostCommon(this.a, this.b, task, this.numbers);
    for (let level = task.anchors; level < anchorLengths.length; level++) {
      this.budget.steps -= size * STEPS_PER_TOKEN;
      const boxes = splitAtAnchors(this.a, this.b, task, anchorLengths[level] ?? 1, enough, this.changed);
      if (boxes === "few") continue;
      if (boxes === "scrambled") return false;
      let open = 0;
      for (const box of boxes) {
        open += sizeOf(box);
        this.tasks.push({ ...box, edits: -1, anchors: level + 1 });
      }
      this.tokensLeft -= size - open;
      return true;
    }
    return false;
  }

  /**
   * Processes a box from its beginning in windows that overlap by half: each is matched exactly, and the matches in its
   * first half are kept. Near the optimum as long as common tokens are not further apart than half a window.
   */
  private slideWindow(task: Task, size: number): void {
    let { aLo, bLo } = task;
    let left = size;
    // A window of `width` on each side costs width² / 16 and its renumbering, and advances by about `width` tokens of both sides together.
    const width =
      Math.max(MIN_WINDOW, Math.min(MAX_WINDOW, 16 * ((0.7 * this.shareOf(size)) / size - 2 * STEPS_PER_TOKEN))) | 0;
    while (aLo < task.aHi && bLo < task.bHi && !this.budget.spent) {
      const window = { aLo, aHi: Math.min(task.aHi, aLo + width), bLo, bHi: Math.min(task.bHi, bLo + width) };
      const { a, b, ids } = localize(this.a, this.b, window, this.numbers);
      const changed: Changed = { a: new Uint8Array(a.length).fill(1), b: new Uint8Array(b.length).fill(1) };
      this.budget.steps -= keepDense(a, b, ids, changed) + sizeOf(window) * STEPS_PER_TOKEN;
      const last = window.aHi === task.aHi && window.bHi === task.bHi;
      const [i, j] = last ? [a.length, b.length] : firstHalf(changed, width);
      this.changed.a.set(changed.a.subarray(0, i), aLo);
      this.changed.b.set(changed.b.subarray(0, j), bLo);
      aLo += i;
      bLo += j;
      left -= i + j;
      this.tokensLeft -= i + j;
    }
    this.tokensLeft -= left;
  }

  private shareOf(size: number): number {
    return (this.budget.steps * size) / Math.max(size, this.tokensLeft);
  }

  /** Cuts the box on a shortest path if one is found within the given numbers of steps and edits. */
  private tryCut(task: Task, maxSteps: number, maxEdits = this.budget.maxEdits): boolean {
    const diagonals = maxSteps / STEPS_PER_DIAGONAL;
    const cap = Math.min(Math.sqrt(diagonals) + MIN_CAP, maxEdits / 2 + 1);
    const { forward, backward, base } = this;
    const { cut, steps, atLeast } = middleCut(this.a, this.b, task, forward, backward, base, cap, diagonals);
    this.budget.steps -= steps * STEPS_PER_DIAGONAL;
    this.atLeast = atLeast;
    if (cut === undefined) return false;
    this.tasks.push({ aLo: cut.a, aHi: task.aHi, bLo: cut.b, bHi: task.bHi, edits: cut.after, anchors: task.anchors });
    this.tasks.push({ aLo: task.aLo, aHi: cut.a, bLo: task.bLo, bHi: cut.b, edits: cut.before, anchors: task.anchors });
    return true;
  }
}

/**
 * Returns how far the matches of a window are trusted: up to the first one past the middle, or half of the part after the
 * last one.
 */
function firstHalf(changed: Changed, width: number): [number, number] {
  const { a, b } = changed;
  let i = 0;
  let j = 0;
  let iDone = 0;
  let jDone = 0;
  for (;;) {
    while (i < a.length && a[i] === 1) i++;
    while (j < b.length && b[j] === 1) j++;
    if (i >= a.length || j >= b.length)
      return [iDone + ((a.length - iDone + 1) >> 1), jDone + ((b.length - jDone + 1) >> 1)];
    if (i + j >= width) return [i, j];
    iDone = ++i;
    jDone = ++j;
  }
}

function sizeOf(box: Box): number {
  return box.aHi - box.aLo + (box.bHi - box.bLo);
}
