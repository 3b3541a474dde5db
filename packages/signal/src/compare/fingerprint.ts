import { createHash } from "node:crypto";
import type { DiffHunk, DiffLine } from "@web-tester/diff/hunks/hunks";
import { standIn } from "../mask/what-is-left.js";
import { type AttributeChange, keptOf, splitAttributes } from "./attributes.js";
import { entryOf } from "./entry-of.js";
import { withMoves } from "./moves.js";
import { anyDigit, digits, idsIn, normalised, normalisedMax, withoutIds } from "./normalised.js";

/**
 * One change of one page, in a form that compares across pages: a change that is the same on many pages has the same
 * fingerprint. Hashes are hex.
 */
export interface HunkShape {
  /** Hash of the removed and the added text and its place, numbers and ids left out. */
  readonly fingerprint: string;
  /** Hash of the place alone: different changes of one place share it. */
  readonly place: string;
  /** The removed and the added text, cut to `excerptMax` characters. */
  readonly removed: string;
  readonly added: string;
  readonly kind: ChangedKind;
  /**
   * Hash of what the fingerprint leaves out although people see it: numbers in the text, the contents of a file, the whole
   * of a rewritten page. Null where there is nothing.
   */
  readonly leftOut: string | null;
  /**
   * Set for a part with a link that only came, or only went: a number from its words and addresses, negative where it went. Where it left one page of
   * a list and came to the next, both have the same.
   */
  readonly entry?: number;
}

/**
 * Where a change is: in the page's content, in a file that it needs, in a fact beside the content, or in its status. `moved`: a part of the
 * content is the same, but elsewhere.
 */
type ChangedKind = "content" | "moved" | "file" | "header" | "status";

/** The most changes of one page that are told apart; with more, the page counts as rewritten, which is one change. */
const shapesMax = 50;
/** The fingerprint of all rewritten pages. Only the first change of one of them is shown for it. */
const rewrittenFingerprint = hash(["rewritten"]);
/** The fingerprint of all pages that were loaded in another way than before. */
const otherModeFingerprint = hash(["loaded in another way"]);
/** The kind of change to tell of a stored row, which says of pages with many changes where their first change is. */
export const toldKind = <K extends string>(fingerprint: string, kind: K): K | "rewritten" | "mode" =>
  fingerprint === rewrittenFingerprint ? "rewritten" : fingerprint === otherModeFingerprint ? "mode" : kind;
const excerptMax = 400;

/** @param path that of the page; replaced in changes, as it differs from page to page */
export function shapesOf(hunks: readonly DiffHunk[], path: string): HunkShape[] {
  const { rest, attributes } = splitAttributes(hunks);
  const replaced = attributeShapes(attributes, path);
  if (rest.length + replaced.length <= shapesMax)
    return [
      ...withMoves(rest).map((one) => ("moved" in one ? moveShape(one.moved, path) : shapeOf(one.lines, path))),
      ...replaced,
    ];
  const [first] = hunks;
  return first === undefined
    ? []
    : [
        {
          ...{ ...shapeOf(first.lines, path), fingerprint: rewrittenFingerprint, place: rewrittenFingerprint },
          leftOut: shortHash(hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`))),
        },
      ];
}

/** Returns a shape for each replacement in addresses and class names of a page, whatever elements it is in; a few more than `shapesMax` at most. */
function attributeShapes(changes: readonly AttributeChange[], path: string): HunkShape[] {
  const shapes = new Map<string, HunkShape>();
  for (const change of changes) {
    const { removed, added, where } = change;
    const fingerprint = replacementOf(change, path);
    if (fingerprint !== null && shapes.has(fingerprint)) continue;
    const shape: HunkShape =
      fingerprint === null
        ? shapeOf([removed, added], path)
        : {
            ...{ fingerprint, place: hash(["attribute", where]), kind: "content", leftOut: null },
            ...{ removed: excerpt([removed]), added: excerpt([added]) },
          };
    shapes.set(shape.fingerprint, shape);
    if (shapes.size > shapesMax) break;
  }
  return [...shapes.values()];
}

/**
 * Returns a fingerprint of what was replaced in attributes, without the rest of them; null where only numbers differ: they lead to
 * something else in each link. A version or an id leads to the same of another release, often to another line of it.
 */
function replacementOf({ removed, added, where, isVersion }: AttributeChange, path: string): string | null {
  const [before, after] = [changedOf(removed), changedOf(added)];
  const [[went = []], [came = []]] = withoutTokens([before], [after]);
  let isId = isVersion;
  const words = new Set<string>();
  for (let at = 0; at < Math.max(went.length, came.length); at++) {
    const [one, other] = [normalised(went[at] ?? "", path), normalised(came[at] ?? "", path)];
    if (one !== other) words.add(`${one}\u0001${other}`);
    else if (one === "#" && /[a-z]/i.test(before[at] ?? "")) isId = true;
  }
  return words.size === 0 && !isId ? null : hash(["attribute", where, isId ? "#" : "", ...words]);
}

/**
 * Returns one change for all those of a page that was loaded over HTTP before and in the browser now, or the other way round:
 * what scripts make of the page came or went, and nobody changed it.
 */
export function otherModeShape(shapes: readonly HunkShape[]): HunkShape[] {
  const [first] = shapes;
  if (first === undefined) return [];
  const leftOut = shortHash(shapes.map(({ fingerprint, leftOut: rest }) => `${fingerprint} ${rest ?? ""}`));
  return [{ ...first, kind: "content", fingerprint: otherModeFingerprint, place: otherModeFingerprint, leftOut }];
}

function shapeOf(lines: readonly DiffLine[], path: string): HunkShape {
  const removed = lines.filter(({ kind }) => kind === "removed");
  const added = lines.filter(({ kind }) => kind === "added");
  const where = placeOf(removed[0] ?? added[0], path);
  const [went, came] = withoutTokens(...changedWordsOf(removed, added));
  const entry = removed.length === 0 ? entryOf(added) : added.length === 0 ? -entryOf(removed) : 0;
  return {
    ...(entry !== 0 && { entry }),
    fingerprint: fingerprintOf(
      isText(removed[0] ?? added[0]) ? "" : where,
      where,
      went.map((line) => wordsOf(line, path)),
      came.map((line) => wordsOf(line, path)),
    ),
    place: hash([where, headingOf(removed[0] ?? added[0])]),
    removed: excerpt(removed),
    added: excerpt(added),
    kind: "content",
    leftOut: numbersHash(
      [removed, added].map((side) => side.map((line) => wordsIn(line, path)).join("\n")),
      [...went, ...came].flat().flatMap((words) => words.slice(normalisedMax) || []),
    ),
  };
}

/** @param around the place, if words do not tell what the change is: numbers and short ones do not */
function fingerprintOf(where: string, around: string, went: readonly string[], came: readonly string[]): string {
  return hash([hasLetters([went, came], tellingLetters) ? where : around, ...went, "\0", ...came]);
}

/** Whether texts have so many letters together. Stops at the last of them: what came may be a whole chapter. */
function hasLetters(sides: readonly (readonly string[])[], least: number): boolean {
  let left = least;
  for (const texts of sides)
    for (const text of texts) for (const _ of text.matchAll(/\p{L}/gu)) if (--left === 0) return true;
  return false;
}

/** Whether a line goes on with a text that begins elsewhere: what is around a change in it is another text on each page. */
const isText = (line: DiffLine | undefined): boolean => !/^\s*<[a-z!]/i.test(line?.text ?? "");

/** The least letters of words that tell what a change in a text is, wherever it is. */
const tellingLetters = 4;

/** Returns the shape of lines that moved. Where they were and are now is left out, as line numbers differ from page to page. */
function moveShape(lines: readonly DiffLine[], path: string): HunkShape {
  const where = placeOf(lines[0], path);
  return {
    fingerprint: hash(["moved", where, ...lines.map(({ text }) => normalised(text, path))]),
    place: hash([where, headingOf(lines[0])]),
    removed: excerpt(lines),
    added: excerpt(lines),
    kind: "moved",
    leftOut: numbersHash(
      [lines.map((line) => wordsIn(line, path)).join("\n")],
      lines.flatMap(({ text }) => text.slice(normalisedMax) || []),
    ),
  };
}

/** Returns the visible text of a line with numbers, without ids; of a long line, the text around its changes. */
function wordsIn({ text, marks = [] }: DiffLine, path: string): string {
  if (!anyDigit.test(text)) return "";
  const seen =
    text.length <= normalisedMax ? text : marks.length === 0 ? text.slice(0, normalisedMax) : textAround(text, marks);
  return withoutIds(seen.replaceAll(/<[^<>]*>/g, " "), path);
}

const aroundMax = 200;

function textAround(text: string, marks: readonly (readonly [number, number])[]): string {
  const parts: string[] = [];
  let behind = 0;
  for (const [from, to] of marks) {
    const part = text.slice(Math.max(behind, from - aroundMax), to + aroundMax);
    // without half a tag, whose numbers nobody sees
    parts.push(part.replace(/^[^<>]*>/, "").replace(/<[^<>]*$/, ""));
    behind = to + aroundMax;
  }
  return parts.join(" ");
}

/** @param rests texts that count as they are */
function numbersHash(texts: readonly string[], rests: readonly string[] = []): string | null {
  const numbers = texts.map((text) => (text.match(digits) ?? []).join(" "));
  return rests.length === 0 && numbers.every((each) => each === "") ? null : shortHash([...numbers, ...rests]);
}

/** The most changed files that are kinds of change of their own, each one kind for all pages that need it. */
const filesMax = 20;

/** A changed file; hashes of its contents, null where there is none. */
interface FileChange {
  readonly url: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** @param files the changed ones; those beyond the first `filesMax` are one kind together */
export function fileShapes(files: readonly FileChange[]): HunkShape[] {
  const leftOut = (of: readonly FileChange[]) =>
    shortHash(of.flatMap(({ before, after }) => [before ?? "", after ?? ""]));
  const [first, rest] = [files.slice(0, filesMax), files.slice(filesMax)];
  const named = first.map((file) => ({
    ...besideShape("file", fileKey(file.url), "", file.url),
    leftOut: leftOut([file]),
  }));
  return rest.length === 0
    ? named
    : [...named, { ...besideShape("file", "\0more", "", "further files"), leftOut: leftOut(rest) }];
}

/** Returns the shape of a changed fact beside a page's content: a header, or the status. */
export function factShape(fact: string, before: string | null, after: string | null): HunkShape {
  const told = (value: string | null) => (value === null ? "" : `${fact.replaceAll("_", " ")}: ${value}`);
  const kind = fact === "status" ? "status" : "header";
  return {
    ...besideShape(kind, fact, told(before), told(after)),
    // most of a title differs from page to page: what changed in it may be the same on all
    ...(fact === "title" && { fingerprint: hash([kind, fact, ...changedWords(before ?? "", after ?? "")]) }),
    // the numbers in a policy belong to hashes
    leftOut: fact === "csp" ? null : numbersHash([before, after].map((value) => withoutIds(value ?? "", ""))),
  };
}

/** Returns what stands between the words with which two texts begin alike, and those with which they end alike. */
function changedWords(before: string, after: string): [string, string] {
  const [one, other] = [before.split(/\s+/), after.split(/\s+/)];
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const between = (words: string[]) => normalised(words.slice(start, words.length - end).join(" "), "");
  return [between(one), between(other)];
}

function besideShape(kind: ChangedKind, where: string, removed: string, added: string): Omit<HunkShape, "leftOut"> {
  const change = kind === "file" ? [] : [normalised(removed, ""), normalised(added, "")];
  return {
    ...{ fingerprint: hash([kind, where, ...change]), place: hash([kind, where]), kind },
    removed: cutText(removed),
    added: cutText(added),
  };
}

/**
 * Returns the part of an address that stays when its version changes: numbers and ids in the query are replaced. The sizes in which a
 * picture is offered (`photo-300x183.jpg`) are one file.
 */
function fileKey(url: string): string {
  const query = url.indexOf("?");
  const path = (query === -1 ? url : url.slice(0, query)).replace(/-\d{2,5}x\d{2,5}(?=\.[a-z]{3,4}$)/i, "");
  return query === -1 ? path : path + normalised(url.slice(query), "");
}

const skeletonMax = 300;

/** Returns the tag that a line begins with; of a line without one, its unchanged part. */
function placeOf(line: DiffLine | undefined, path: string): string {
  if (line === undefined) return "";
  const tag = /^[^<]{0,40}<[^>]{0,300}/.exec(line.text);
  if (tag !== null) return normalised(tag[0], path);
  return line.marks === undefined ? "" : normalised(keptOf(line).slice(0, skeletonMax), path);
}

/** Returns the level of the heading that a line begins with: it is a number that is part of the place. */
const headingOf = (line: DiffLine | undefined): string => /^[^<]{0,40}<h([1-6])\b/i.exec(line?.text ?? "")?.[1] ?? "";

/** Returns the changed words of each line of both sides; the lines themselves where no word is another one, only its place. */
function changedWordsOf(removed: readonly DiffLine[], added: readonly DiffLine[]): [string[][], string[][]] {
  const [went, came] = [removed.map(changedOf), added.map(changedOf)];
  const whole = (lines: readonly DiffLine[]) => lines.map(({ text }) => [text]);
  return [...went, ...came].some((words) => words.length > 0) ? [went, came] : [whole(removed), whole(added)];
}

/** Returns the changed words of a line, each as a whole: none where words only came to it, all of it where hardly anything stays. */
function changedOf({ text, marks }: DiffLine): string[] {
  if (marks === undefined) return [text];
  if (marks.length === 0) return [];
  const words: string[] = [];
  const ids = idsIn(text);
  let behind = 0;
  let pending = "";
  for (const [from, to] of marks) {
    // the comparison may split digits from letters of one token, and parts of one id
    const first = ids.find(([idStart, idEnd]) => idStart <= from && from < idEnd);
    const last = ids.find(([idStart, idEnd]) => idStart < to && to <= idEnd);
    const start = Math.max(behind, first?.[0] ?? (isLetter(text[from]) ? from - lettersBefore(text, from) : from));
    const end = Math.max(behind, last?.[1] ?? (isLetter(text[to - 1]) ? to + lettersBehind(text, to) : to));
    if (start > behind && pending !== "") words.push(pending);
    pending = (start > behind ? "" : pending) + text.slice(start, end);
    behind = end;
  }
  return [...words, pending];
}

const tokenMax = 128;
/*
 * Generated tokens are written in ASCII, whatever the page's language. Letters of other scripts do not belong to them: in those
 * without spaces (第3話公開) a changed number would grow to a sentence, and be another change on every page.
 */
const isLetter = (character = ""): boolean => /[A-Za-z0-9]/.test(character);
const lettersBefore = (text: string, at: number): number =>
  /[A-Za-z0-9]*$/.exec(text.slice(Math.max(0, at - tokenMax), at))?.[0].length ?? 0;
const lettersBehind = (text: string, at: number): number =>
  /^[A-Za-z0-9]*/.exec(text.slice(at, at + tokenMax))?.[0].length ?? 0;

/** Replaces generated tokens on both sides: a word with digits between letters, and the word in its place on the other side. */
function withoutTokens(removed: readonly string[][], added: readonly string[][]): [string[][], string[][]] {
  const swap = (side: readonly string[][], other: readonly string[][]) =>
    side.map((words, line) =>
      words.map((word, index) => {
        const twin = other[line]?.length === words.length ? other[line]?.[index] : undefined;
        if (twin === undefined || !isWord(word) || !isWord(twin)) return word;
        return isToken(word) || (isToken(twin) && Math.abs(word.length - twin.length) <= lengthsApart) ? "#" : word;
      }),
    );
  return [swap(removed, added), swap(added, removed)];
}

/** The most by which lengths of tokens of one kind differ, such as numbers to base 36. */
const lengthsApart = 3;
const isWord = (text: string): boolean => /^[A-Za-z0-9_+/=-]{6,128}$/.test(text);
/** Whether a word has digits between letters or letters between digits, as no real word and no version name has. */
const isToken = (word: string): boolean => /[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d/.test(word);

function wordsOf(words: readonly string[], path: string): string {
  return words.map((word) => normalised(word, path)).join("\u0001");
}

function excerpt(lines: readonly DiffLine[]): string {
  let text = "";
  for (const line of lines) {
    if (text.length > excerptMax) break;
    // a long line is shown around its first change
    const from = line.text.length > excerptMax ? Math.max(0, (line.marks?.[0]?.[0] ?? 0) - 60) : 0;
    text += `${text === "" ? "" : "\n"}${from > 0 ? "…" : ""}${line.text.slice(from, from + excerptMax)}`;
  }
  return cutText(text);
}

function cutText(text: string): string {
  const cut = text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text;
  return cut.toWellFormed().replaceAll(standIn, "…").replaceAll("\0", "\uFFFD");
}

/** @param parts a list, as one page may have more changed lines than a function may have arguments */
function hash(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}

const shortHash = (parts: readonly string[]): string => hash(parts).slice(0, 16);
