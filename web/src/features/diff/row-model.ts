import type { DiffHunk, DiffLine } from "@web-tester/contracts/entities/compare";
import type { DiffType } from "@web-tester/contracts/entities/vocabulary";
import type { LineState } from "../../ui/code/html-tokens.js";
import { LineStates } from "../../ui/code/line-states.js";
import { t } from "../../texts/text.js";
import { type MergedLine, mergeLines } from "./merge-lines.js";

type LineKind = "context" | "removed" | "added";
type Marks = readonly (readonly [number, number])[];

/** One line of one side; `state` is how the line before it ended, for colours, computed when it is first needed. */
export interface Line {
  readonly no: number;
  readonly kind: LineKind;
  readonly text: string;
  readonly marks: Marks | undefined;
  readonly state: LineState;
  /** Why its change is ignored, in words; undefined where it is not. */
  readonly ignored: string | undefined;
  /** Where the same lines are on the other side, in words; undefined where they are not. */
  readonly moved?: string | undefined;
  /** Whether no newline follows, which is the difference or part of it. */
  readonly noEol?: true | undefined;
}

/** Consecutive lines of one side. */
class Stretch {
  private readonly lines: string[] = [];
  private readonly states = new LineStates(this.lines);

  line(no: number, kind: LineKind, text: string, marks?: Marks, ignored?: string): StretchLine {
    this.lines.push(text);
    return new StretchLine(no, kind, text, marks, ignored, this.states, this.lines.length - 1);
  }
}

class StretchLine implements Line {
  readonly no: number;
  readonly kind: LineKind;
  readonly text: string;
  readonly marks: Marks | undefined;
  readonly ignored: string | undefined;
  moved: string | undefined;
  noEol: true | undefined;
  private readonly states: LineStates;
  private readonly index: number;

  constructor(
    no: number,
    kind: LineKind,
    text: string,
    marks: Marks | undefined,
    ignored: string | undefined,
    states: LineStates,
    index: number,
  ) {
    this.ignored = ignored;
    this.no = no;
    this.kind = kind;
    this.text = text;
    this.marks = marks;
    this.states = states;
    this.index = index;
  }

  get state(): LineState {
    return this.states.at(this.index);
  }
}

/** Unchanged lines that are not shown; both sides have `count` of them. */
export interface Gap {
  readonly type: "gap";
  readonly aFrom: number;
  readonly bFrom: number;
  readonly count: number;
  readonly place: "start" | "middle" | "end" | "all";
}

/** A row has lines of A, of B or of both; `change` is the number of the change it belongs to, from 0. */
export interface LineRow {
  readonly type: "line";
  readonly a: Line | undefined;
  readonly b: Line | undefined;
  /** Both lines merged into one, where words are compared and the two are versions of one line. */
  readonly merged?: MergedLine;
  readonly change: number | undefined;
}
export type Row = Gap | LineRow;

/** Opened unchanged lines, by line number of B. */
export type Opened = ReadonlyMap<number, string>;

export interface RowModel {
  readonly rows: readonly Row[];
  /** First and last row of each change, in order. */
  readonly changes: readonly {
    readonly first: number;
    readonly last: number;
    readonly removed: boolean;
    readonly added: boolean;
  }[];
}

/** The parts of a difference that its rows need; `lines` are those of the whole document. */
export interface Drawn {
  readonly by: DiffType;
  readonly a: { readonly lines: number };
  readonly b: { readonly lines: number };
  readonly hunks: readonly DiffHunk[];
  /** The rules in force; their titles explain why lines are ignored. */
  readonly rules?: readonly { readonly id: string; readonly title: string }[] | undefined;
}

/** Builds the rows of a difference in the order of reading. Split puts removed and added lines of a change side by side. */
export function buildRows(
  diff: Drawn,
  view: "unified" | "split",
  opened: Opened = new Map(),
  ignored: "shown" | "hidden" = "shown",
): RowModel {
  const titles = new Map((diff.rules ?? []).map(({ id, title }) => [id, title]));
  const builder = new Builder(view, opened, diff.by === "words", titles, ignored === "hidden");
  let aNext = 1;
  let bNext = 1;
  for (const hunk of diff.hunks) {
    const start = startOf(hunk);
    builder.gap(aNext, bNext, start.b - bNext, bNext === 1 && aNext === 1 ? "start" : "middle");
    builder.hunk(hunk, start);
    aNext = start.a + hunk.aCount;
    bNext = start.b + hunk.bCount;
  }
  builder.gap(aNext, bNext, diff.b.lines - bNext + 1, diff.hunks.length === 0 ? "all" : "end");
  return builder.model();
}

/** Where a hunk's lines begin. The start of a side without lines may be the line before it, as in patch files. */
function startOf(hunk: DiffHunk): { a: number; b: number } {
  return { a: Math.max(1, hunk.aStart), b: Math.max(1, hunk.bStart) };
}

/** The least number of characters besides white space for a block to be recognised as moved. */
const movedMinChars = 20;

class Builder {
  private readonly rows: Row[] = [];
  private readonly changes: { first: number; last: number; removed: boolean; added: boolean }[] = [];
  private readonly view: "unified" | "split";
  private readonly opened: Opened;
  /** Blocks that only one side has, by their text, until the same block is found on the other side. */
  private readonly goneBlocks = new Map<string, (readonly StretchLine[])[]>();
  private readonly newBlocks = new Map<string, (readonly StretchLine[])[]>();
  private a = new Stretch();
  private b = new Stretch();

  constructor(
    view: "unified" | "split",
    opened: Opened,
    private readonly merges: boolean,
    private readonly titles: ReadonlyMap<string, string>,
    private readonly hidesIgnored: boolean,
  ) {
    this.view = view;
    this.opened = opened;
  }

  gap(aFrom: number, bFrom: number, count: number, place: Gap["place"]): void {
    let hiddenFrom = 0;
    const close = (end: number) => {
      if (end <= hiddenFrom) return;
      this.rows.push({
        type: "gap",
        aFrom: aFrom + hiddenFrom,
        bFrom: bFrom + hiddenFrom,
        count: end - hiddenFrom,
        place,
      });
      this.a = new Stretch();
      this.b = new Stretch();
    };
    for (let offset = 0; offset < count && this.opened.size > 0; offset += 1) {
      const text = this.opened.get(bFrom + offset);
      if (text === undefined) continue;
      close(offset);
      this.context(aFrom + offset, bFrom + offset, text);
      hiddenFrom = offset + 1;
    }
    close(count);
  }

  hunk(hunk: DiffHunk, start: { a: number; b: number }): void {
    let aNo = start.a;
    let bNo = start.b;
    let removed: StretchLine[] = [];
    let added: StretchLine[] = [];
    const made = (side: Stretch, no: number, { kind, text, marks, ignored, noEol }: DiffLine) => {
      const line = side.line(no, kind, text, marks, this.whyIgnored(ignored));
      line.noEol = noEol;
      return line;
    };
    for (const line of hunk.lines) {
      if (line.kind === "context") {
        this.change(removed, added);
        removed = [];
        added = [];
        this.context(aNo, bNo, line.text);
        aNo += 1;
        bNo += 1;
      } else if (line.kind === "removed") {
        removed.push(made(this.a, aNo, line));
        aNo += 1;
      } else {
        added.push(made(this.b, bNo, line));
        bNo += 1;
      }
    }
    this.change(removed, added);
  }

  private context(aNo: number, bNo: number, text: string): void {
    const a = this.a.line(aNo, "context", text);
    const b = this.b.line(bNo, "context", text);
    this.rows.push({ type: "line", a, b, change: undefined });
  }

  private change(removed: readonly StretchLine[], added: readonly StretchLine[]): void {
    if (removed.length + added.length === 0) return;
    this.noteMoves(removed, added);
    noteEnds(removed, added);
    const counts = [...removed, ...added].some((line) => line.ignored === undefined);
    if (!counts && this.hidesIgnored) {
      this.quiet(removed, added);
      return;
    }
    // ignored changes cannot be stepped to
    const change = counts ? this.changes.length : undefined;
    const first = this.rows.length;
    if (this.view === "split") {
      for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
        this.rows.push({ type: "line", a: removed[index], b: added[index], change });
    } else if (this.merges) this.mergedRows(removed, added, change);
    else {
      for (const a of removed) this.rows.push({ type: "line", a, b: undefined, change });
      for (const b of added) this.rows.push({ type: "line", a: undefined, b, change });
    }
    if (counts)
      this.changes.push({ first, last: this.rows.length - 1, removed: removed.length > 0, added: added.length > 0 });
  }

  /**
   * Marks blocks that are unchanged but elsewhere on the other side as moved; very short blocks are left out, because the same text is
   * often written twice.
   */
  private noteMoves(removed: readonly StretchLine[], added: readonly StretchLine[]): void {
    if (removed.length > 0 && added.length > 0) return;
    const lines = removed.length > 0 ? removed : added;
    const key = lines.map(({ text }) => text.trim()).join("\n");
    if (key.replaceAll(/\s/g, "").length < movedMinChars) return;
    const [own, other] = removed.length > 0 ? [this.goneBlocks, this.newBlocks] : [this.newBlocks, this.goneBlocks];
    const partner = other.get(key)?.shift();
    if (partner === undefined) {
      own.set(key, [...(own.get(key) ?? []), lines]);
      return;
    }
    const [from, to] = removed.length > 0 ? [lines, partner] : [partner, lines];
    for (const line of from) line.moved = t("Moved to line {line}", { line: String(to[0]?.no ?? 0) });
    for (const line of to) line.moved = t("Moved from line {line}", { line: String(from[0]?.no ?? 0) });
  }

  private whyIgnored(rule: string | undefined): string | undefined {
    if (rule === undefined) return undefined;
    return rule === ""
      ? t("Only white space differs")
      : t("Ignored: {rule}", { rule: this.titles.get(rule) ?? t("a rule") });
  }

  /** Adds an ignored change as if it were unchanged: the newer lines, or where there are none the older ones. */
  private quiet(removed: readonly Line[], added: readonly Line[]): void {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const [a, b] = [removed[index], added[index]];
      const plain = (line: Line | undefined): Line | undefined =>
        line === undefined
          ? undefined
          : {
              no: line.no,
              text: line.text,
              kind: "context",
              marks: undefined,
              state: line.state,
              ignored: line.ignored,
            };
      this.rows.push({ type: "line", a: plain(a), b: plain(b), change: undefined });
    }
  }

  /** Adds versions of one line as one row; other lines follow each other, as many of both sides as there are. */
  private mergedRows(removed: readonly Line[], added: readonly Line[], change: number | undefined): void {
    let [at, to] = [0, 0];
    while (at < removed.length || to < added.length) {
      const [a, b] = [removed[at], added[to]];
      const merged = a === undefined || b === undefined ? null : mergeLines(a, b);
      if (merged !== null) {
        this.rows.push({ type: "line", a, b, merged, change });
        at += 1;
        to += 1;
      } else if (a !== undefined && removed.length - at >= added.length - to) {
        this.rows.push({ type: "line", a, b: undefined, change });
        at += 1;
      } else {
        this.rows.push({ type: "line", a: undefined, b, change });
        to += 1;
      }
    }
  }

  model(): RowModel {
    return { rows: this.rows, changes: this.changes };
  }
}

/** Notes missing newlines at the end: where both sides lack one, only for a line that differs by nothing else. */
function noteEnds(removed: readonly StretchLine[], added: readonly StretchLine[]): void {
  const [a, b] = [removed.at(-1), added.at(-1)];
  if (a?.noEol !== true || b?.noEol !== true) return;
  const keeps = (line: StretchLine, others: readonly StretchLine[]) =>
    others.some(({ text, noEol }) => text === line.text && noEol === undefined) ? true : undefined;
  [a.noEol, b.noEol] = [keeps(a, added), keeps(b, removed)];
}
