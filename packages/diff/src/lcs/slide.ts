/** The score of a place for a change: the deeper indent loses, then the higher penalty. Lower is better. */
interface PlaceScore {
  readonly indent: number;
  readonly penalty: number;
}

/** Scores the place of a change that covers `start…end-1`. */
export type ScorePlace = (start: number, end: number) => PlaceScore;

const INDENT_WEIGHT = 60;
const MAX_SLIDING = 100;

/**
 * Moves changes of one side up or down over equal tokens, to where a reader would put them: joined with neighbours, beside
 * a change on the other side, else at the place with the best score. Neither their number nor the result of applying them
 * changes. Updates `changed`.
 */
export function slideChanges(tokens: Int32Array, changed: Uint8Array, other: Uint8Array, score: ScorePlace): void {
  const group = new Group(tokens, changed);
  const opposite = new Group(new Int32Array(0), other);
  // Periodic input can make groups slide over and over; past this, they stay where they are.
  let left = 64 * tokens.length + 4096;
  do {
    if (group.end > group.start) {
      let size: number;
      let earliest: number;
      let besideOther: number;
      do {
        size = group.end - group.start;
        besideOther = -1;
        while (group.slideUp()) {
          opposite.previous();
          if (--left < 0) return;
        }
        earliest = group.end;
        if (opposite.end > opposite.start) besideOther = group.end;
        while (group.slideDown()) {
          opposite.next();
          if (opposite.end > opposite.start) besideOther = group.end;
          if (--left < 0) return;
        }
      } while (size !== group.end - group.start);

      let target = group.end;
      if (besideOther >= 0) target = besideOther;
      else if (group.end !== earliest)
        target = bestPlace(Math.max(earliest, group.end - size - 1, group.end - MAX_SLIDING), group.end, size, score);
      while (group.end > target && group.slideUp()) opposite.previous();
    }
    opposite.next();
  } while (group.next());
}

function bestPlace(first: number, last: number, size: number, score: ScorePlace): number {
  let best = first;
  let bestScore = score(first - size, first);
  for (let end = first + 1; end <= last; end++) {
    const candidate = score(end - size, end);
    const difference =
      INDENT_WEIGHT * Math.sign(candidate.indent - bestScore.indent) + candidate.penalty - bestScore.penalty;
    if (difference > 0) continue;
    best = end;
    bestScore = candidate;
  }
  return best;
}

/** A run of changed tokens, possibly empty, between two unchanged ones; both sides have equally many such groups. */
class Group {
  start = 0;
  end = 0;

  constructor(
    private readonly tokens: Int32Array,
    private readonly changed: Uint8Array,
  ) {
    this.extendDown();
  }

  next(): boolean {
    if (this.end === this.changed.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    this.extendDown();
    return true;
  }

  previous(): void {
    if (this.start === 0) return;
    this.end = this.start - 1;
    this.start = this.end;
    this.extendUp();
  }

  slideDown(): boolean {
    if (this.end >= this.changed.length || this.tokens[this.start] !== this.tokens[this.end]) return false;
    this.changed[this.start++] = 0;
    this.changed[this.end++] = 1;
    this.extendDown();
    return true;
  }

  slideUp(): boolean {
    if (this.start === 0 || this.tokens[this.start - 1] !== this.tokens[this.end - 1]) return false;
    this.changed[--this.start] = 1;
    this.changed[--this.end] = 0;
    this.extendUp();
    return true;
  }

  private extendDown(): void {
    while (this.end < this.changed.length && this.changed[this.end] === 1) this.end++;
  }

  private extendUp(): void {
    while (this.start > 0 && this.changed[this.start - 1] === 1) this.start--;
  }
}
