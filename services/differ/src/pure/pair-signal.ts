import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import type { ChangedFact, ChangedFile } from "@web-tester/contracts/entities/snapshot";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { differingHeads, type PageHead } from "@web-tester/html/links/page-head";
import { assess } from "@web-tester/signal/compare/assess";
import {
  factShape,
  fileShapes,
  type HunkShape,
  otherModeShape,
  shapesOf,
} from "@web-tester/signal/compare/fingerprint";
import { LeftPage } from "@web-tester/signal/compare/left-page";
import type { CompiledRule } from "@web-tester/signal/rules/compile-rule";
import { RuleSet } from "@web-tester/signal/rules/rule-set";
import { LRUCache } from "lru-cache";
import type { Document } from "./packed-documents.js";

/** What is asked about a pair: the page's path and query, and the rules of its object. */
export interface Asked {
  path: string;
  rules: readonly AppliedRule[];
  /** `text` where only what a reader gets is compared. */
  form?: "text" | undefined;
}

/** Which changes of a page matter. */
export interface PairSignal {
  /** Whether any change counts, or the bytes differ without any rule having left something out. */
  significant: boolean;
  changes: number;
  ignored: number;
  hunks: HunkShape[];
  head: HeadSignal;
}

/** Which facts of a page's head are part of the hunks, and which lie in elements that rules name, so that they are ignored. */
interface HeadSignal {
  inHunks: readonly HeadFact[];
  ignored: readonly HeadFact[];
}

type HeadFact = keyof PageHead;
/** The facts of a page's head, which are part of its content. */
const headFacts: readonly HeadFact[] = ["title", "canonical", "robots"];

/** Compiled rules by their JSON: compiling them for each page would cost more than most pages do. */
const sets = new LRUCache<string, RuleSet>({ max: 20 });
const known = new WeakMap<readonly AppliedRule[], RuleSet>();

function setOf(rules: readonly AppliedRule[]): RuleSet {
  const found = known.get(rules);
  if (found !== undefined) return found;
  const key = JSON.stringify(rules);
  const set = sets.get(key) ?? new RuleSet(rules);
  sets.set(key, set);
  known.set(rules, set);
  return set;
}

/** Returns the rules that hold for a page. */
export function rulesFor({ path, rules }: Asked): readonly CompiledRule[] {
  return setOf(rules).of(path);
}

/** Tells which changes of a page matter, and their shapes, by which they equal changes of other pages. */
export function signalOf(pair: readonly [Document, Document], asked: Asked): PairSignal {
  const rules = rulesFor(asked);
  const left = ({ bytes, charset }: Document) => new LeftPage(decodeAs(bytes, charset), rules, asked.form);
  const [older, newer] = [left(pair[0]), left(pair[1])];
  const { changes, ignored, hunks } = assess(older, newer);
  const isBytes = older.isWhole && newer.isWhole && asked.form === undefined;
  return {
    significant: changes > 0 || isBytes,
    changes,
    // white space alone counts as no place, and no rule has left it out
    ignored: isBytes ? 0 : ignored,
    hunks: shapesOf(hunks, asked.path),
    head: headSignal(older, newer, asked),
  };
}

export const untoldHead: HeadSignal = { inHunks: [], ignored: [] };

function headSignal(older: LeftPage, newer: LeftPage, { form }: Asked): HeadSignal {
  const isText = form === "text" || newer.textRule !== null;
  if (older.isWhole && newer.isWhole) return { inHunks: isText ? [] : headFacts, ignored: [] };
  const beside = differingFacts(older.textBesideNamed, newer.textBesideNamed);
  return {
    // the text that readers get has no head
    inHunks: isText ? [] : differingFacts(older.text, newer.text),
    ignored: headFacts.filter((fact) => !beside.includes(fact)),
  };
}

function differingFacts(older: string, newer: string): readonly HeadFact[] {
  const heads = differingHeads(Buffer.from(older), Buffer.from(newer));
  return heads === null ? [] : headFacts.filter((fact) => heads[0][fact] !== heads[1][fact]);
}

/** The differing files of a page, and the differing facts beside its content. */
interface Beside {
  path: string;
  rules: readonly AppliedRule[];
  files: readonly ChangedFile[];
  facts: readonly ChangedFact[];
  /** Whether one side was loaded over HTTP and the other one in the browser. */
  isOtherMode?: boolean;
}

const isOfHead = ({ fact }: ChangedFact): boolean => headFacts.some((each) => each === fact);
const shapesOfFacts = (facts: readonly ChangedFact[]): HunkShape[] =>
  facts.map(({ fact, before, after }) => factShape(fact, before, after));

/** Adds files and facts to what matters of a page's content; each of them is one place. */
export function withBeside(
  { head, ...signal }: PairSignal,
  { path, rules, files, facts, isOtherMode = false }: Beside,
): Omit<PairSignal, "head"> {
  const toldAs = (shapes: HunkShape[]) => (isOtherMode ? otherModeShape(shapes) : shapes);
  if (files.length + facts.length === 0) return { ...signal, hunks: toldAs(signal.hunks) };
  const holding = rulesFor({ path, rules });
  const isFileIgnored = ({ url }: ChangedFile) => holding.some((rule) => rule.ignoresFile(url));
  const isFactIgnored = ({ fact }: ChangedFact) =>
    head.ignored.some((other) => other === fact) || holding.some((rule) => rule.ignoresFact(fact));
  const countedFiles = files.filter((file) => !isFileIgnored(file));
  const countedFacts = facts.filter((fact) => !isFactIgnored(fact));
  const counted = countedFiles.length + countedFacts.length;
  const ignored = files.length + facts.length - counted;
  // a title that changed in the content has its hunk already
  const inHunks = new Set<ChangedFact["fact"]>(signal.hunks.length === 0 ? [] : head.inHunks);
  const told = countedFacts.filter(({ fact }) => !inHunks.has(fact));
  return {
    ...signal,
    significant: signal.significant || counted > 0,
    changes: signal.changes + counted,
    ignored: signal.ignored + ignored,
    hunks: [
      ...toldAs([...signal.hunks, ...fileShapes(countedFiles), ...shapesOfFacts(told.filter(isOfHead))]),
      // no script changes the status or a header
      ...shapesOfFacts(told.filter((fact) => !isOfHead(fact))),
    ],
  };
}
