import type { TextMarks } from "@web-tester/contracts/messages";
import { compare } from "@web-tester/diff/compare";
import { type TextWords, textWords } from "@web-tester/html/text/text-words";

/** The most pieces of one page that are marked: the answer has to fit into one message. */
const piecesMax = 20_000;

/** Returns the words of two pages that only one of them shows, as ranges of their HTML; neighbouring words form one range. */
export function changedWords(a: string, b: string): TextMarks {
  const one = textWords(a);
  const other = textWords(b);
  const text = ({ words }: TextWords) => words.map((word) => `${word}\n`).join("");
  const { hunks, coarse, linesAdded, linesRemoved, truncated } = compare(text(one), text(other), {
    by: "lines",
    context: 0,
    marks: "none",
  });
  const removed = new Pieces(a, one);
  const added = new Pieces(b, other);
  for (const hunk of hunks) {
    for (let index = 0; index < hunk.aCount; index++) removed.take(hunk.aStart - 1 + index);
    for (let index = 0; index < hunk.bCount; index++) added.take(hunk.bStart - 1 + index);
  }
  return {
    a: removed.ranges,
    b: added.ranges,
    removed: linesRemoved,
    added: linesAdded,
    coarse,
    truncated: truncated || removed.isFull || added.isFull,
  };
}

class Pieces {
  readonly ranges: number[] = [];
  isFull = false;

  constructor(
    private readonly html: string,
    private readonly text: TextWords,
  ) {}

  take(word: number): void {
    const from = this.text.starts[word] ?? 0;
    const to = this.text.ends[word] ?? 0;
    const last = this.ranges.at(-1);
    if (last !== undefined && /^\s*$/.test(this.html.slice(last, from))) this.ranges[this.ranges.length - 1] = to;
    else if (this.ranges.length >= 2 * piecesMax) this.isFull = true;
    else this.ranges.push(from, to);
  }
}
