import { assertNever } from "@web-tester/contracts/assert-never";
import type { AppliedRule, SuggestedRule } from "@web-tester/contracts/entities/rule";
import type { ContentForm, DiffType, FormChoice } from "@web-tester/contracts/entities/vocabulary";
import type { DiffFigures, DiffResult, TextMarks } from "@web-tester/contracts/messages";
import { compare } from "@web-tester/diff/compare";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { move, transferableSymbol, valueSymbol } from "piscina";
import { sliceLines } from "@web-tester/diff/lines/line-range";
import { changedWords } from "../pure/changed-words.js";
import { chooseForm, inForm } from "../pure/content-form.js";
import { hasLine, keepsLine, type SoughtLine, soughtLine } from "../pure/keeps-line.js";
import { learnFromHistory } from "@web-tester/signal/learn/learn-history";
import type { Learned } from "@web-tester/signal/learn/learned";
import { learnRules } from "@web-tester/signal/learn/learn-rules";
import { groupByTemplate, kindsOf } from "@web-tester/signal/learn/templates";
import { rulesFor } from "../pure/pair-signal.js";
import { type IgnoredPlace, suggestRules } from "../pure/suggest-rules.js";
import { tellIgnored } from "../pure/tell-ignored.js";
import { countPair, type PairCount } from "../pure/count-pair.js";
import type { Asked } from "../pure/pair-signal.js";
import { thenReturnMemory } from "./thread-heaps.js";
import { type Document, type PackedDocuments, unpackDocuments } from "../pure/packed-documents.js";

/**
 * A pair that rules are learned from, or a pair of another template (`isElsewhere`) whose unchanging parts they must not hide.
 */
export type ProbedPage = { path: string; isHistory: boolean; isElsewhere: boolean };

/**
 * What to do with the documents: `count` takes pairs one after the other, `mark` and `compare` one pair, `lines`, `line`,
 * `has text` and `has line` one document, `keeps line` the line's document and the one to look in.
 */
export type Work =
  | {
      kind: "count";
      sets: readonly (readonly AppliedRule[])[];
      of: readonly { path: string; set: number; form?: "text" | undefined }[];
    }
  | { kind: "mark" }
  | { kind: "compare"; by: DiffType; context: number; as: FormChoice; asked: Asked }
  | { kind: "learn"; pages: readonly ProbedPage[]; rules: readonly AppliedRule[] }
  | { kind: "learn history"; pages: readonly { path: string; versions: number }[]; rules: readonly AppliedRule[] }
  | { kind: "group" }
  | { kind: "suggest"; at: IgnoredPlace; asked: Asked }
  | { kind: "lines"; as: ContentForm; from: number; to: number }
  | { kind: "has text"; as: ContentForm; text: string }
  | { kind: "line"; as: ContentForm; line: number }
  | { kind: "has line"; as: ContentForm; sought: SoughtLine }
  | { kind: "keeps line"; as: ContentForm; line: number };
export type Task = Work & PackedDocuments;

/** Hunks longer than `hunksMaxBytes`, as the JSON of their list in UTF-8, the only form in which they are used. */
export interface LongDiff {
  figures: DiffFigures;
  hunks: Uint8Array<ArrayBuffer>;
}

/** The most bytes of hunks that, with their figures, fit into one bus message (1 MiB by default). */
const hunksMaxBytes = 512 * 1024;

type Answer =
  | PairCount[]
  | TextMarks
  | DiffResult
  | Moved<LongDiff>
  | string[]
  | SuggestedRule[]
  | Learned[]
  | number[][]
  | SoughtLine
  | boolean
  | null;

/** Does a task, in a worker thread. */
export default function work(task: Task): Answer {
  return thenReturnMemory(() => answer(task));
}

function answer(task: Task): Answer {
  const documents = unpackDocuments(task);
  switch (task.kind) {
    case "count":
      return pairsOf(documents).map((pair, index) => {
        const { path, set, form } = task.of[index] ?? { path: "/", set: 0 };
        return countPair(pair, { path, rules: task.sets[set] ?? [], form });
      });
    case "mark":
      return onlyPair(documents, changedWords);
    case "compare": {
      const { by, context } = task;
      const [as, found, told] = onlyPair(documents, (a, b) => {
        const form = chooseForm(task.as, [a, b]);
        const compared = compare(inForm(a, form), inForm(b, form), { by, context, wholeEntries: form !== "source" });
        return [
          form,
          compared,
          task.asked.rules.length === 0 ? {} : tellIgnored(a, b, form, compared.hunks, task.asked),
        ] as const;
      });
      const { identical, coarse, truncated, added, removed, changes, aLines, bLines, hunks } = found;
      const figures = { identical, coarse, truncated, added, removed, changes, aLines, bLines, as, ...told };
      // encoded in this thread, as encoding and copying would block the main thread for others
      const json = new TextEncoder().encode(JSON.stringify(hunks));
      return json.length <= hunksMaxBytes ? { ...figures, hunks } : moved({ figures, hunks: json }, [json.buffer]);
    }
    case "group":
      return groupByTemplate(documents.map(({ bytes, charset }) => kindsOf(decodeAs(bytes, charset))));
    case "learn": {
      const probes = pairsOf(documents).map(([older, newer], index) => ({
        ...(task.pages[index] ?? { path: "/", isHistory: false, isElsewhere: false }),
        older: decodeAs(older.bytes, older.charset),
        newer: decodeAs(newer.bytes, newer.charset),
      }));
      const [own, others] = [false, true].map((isElsewhere) =>
        probes.filter((probe) => probe.isElsewhere === isElsewhere),
      );
      return learnRules(own ?? [], (path) => rulesFor({ path, rules: task.rules }), undefined, others);
    }
    case "learn history": {
      const texts = documents.map(({ bytes, charset }) => decodeAs(bytes, charset));
      const pages = task.pages.map(({ path, versions }) => ({ path, versions: texts.splice(0, versions) }));
      return learnFromHistory(pages, (path) => rulesFor({ path, rules: task.rules }));
    }
    case "suggest":
      return onlyPair(documents, (a, b) => suggestRules(a, b, task.at, task.asked));
    case "lines": {
      const { as, from, to } = task;
      return documents.flatMap(({ bytes, charset }) => sliceLines(inForm(decodeAs(bytes, charset), as), from, to));
    }
    case "has text":
      return documents.some(({ bytes, charset }) =>
        inForm(decodeAs(bytes, charset), task.as).normalize("NFC").includes(task.text.normalize("NFC")),
      );
    case "line":
      return soughtLine(onlyText(documents, task.as), task.line);
    case "has line":
      return hasLine(onlyText(documents, task.as), task.sought);
    case "keeps line":
      return onlyPair(documents, (a, b) => keepsLine(inForm(a, task.as), inForm(b, task.as), task.line));
    default:
      return assertNever(task);
  }
}

/** A result whose buffers are transferred instead of copied, in the form that Piscina expects. */
interface Moved<Result> {
  [transferableSymbol]: object;
  [valueSymbol]: Result & object;
}

function moved<Result extends object>(value: Result, buffers: ArrayBuffer[]): Moved<Result> {
  const result = { [transferableSymbol]: buffers, [valueSymbol]: value };
  move(result);
  return result;
}

function onlyText([only]: readonly Document[], as: ContentForm): string {
  if (only === undefined) throw new RangeError("There is no document.");
  return inForm(decodeAs(only.bytes, only.charset), as);
}

function onlyPair<Result>(documents: readonly Document[], use: (a: string, b: string) => Result): Result {
  const [pair] = pairsOf(documents.map(({ bytes, charset }) => decodeAs(bytes, charset)));
  if (pair === undefined) throw new RangeError("There is no pair of documents to compare.");
  return use(...pair);
}

function pairsOf<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((a, index) => {
    const b = items[index + 1];
    return index % 2 === 0 && b !== undefined ? [[a, b] satisfies [Item, Item]] : [];
  });
}
