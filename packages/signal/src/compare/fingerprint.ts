import { createHash } from "node:crypto";
import type { DiffHunk, DiffLine } from "@web-tester/diff/hunks/hunks";
import { standIn } from "../mask/what-is-left.js";

/** One change of one page as it is told apart from others: what is the same on many pages has the same fingerprint. Hashes are hex. */
export interface HunkShape {
  /** Hash of what went and what came and where, numbers and ids left out. */
  readonly fingerprint: string;
  /** Hash of where alone: changes of one place that are not the same share it. */
  readonly place: string;
  /** What went and what came, cut to `excerptMax` characters. */
  readonly removed: string;
  readonly added: string;
  readonly kind: ChangedKind;
  /**
   * Hash of what the fingerprint leaves out although people see it: numbers in the text, the contents of a file, all of a page that was rewritten. Null where there
   * is nothing.
   */
  readonly leftOut: string | null;
}

/** Where a change is: in what the page says, in a file that it needs, in what is said beside it, or in its status. */
type ChangedKind = "content" | "file" | "header" | "status";

/** More changes of one page are one: the page was rewritten. */
const shapesMax = 50;
const excerptMax = 400;
/** Characters of one text in which numbers and ids are looked for; what is behind them counts as it stands. */
const normalisedMax = 20_000;

/** @param path of the page; where it stands in a change, it is what differs from page to page */
export function shapesOf(hunks: readonly DiffHunk[], path: string): HunkShape[] {
  if (hunks.length <= shapesMax) return hunks.map((hunk) => shapeOf(hunk.lines, path));
  const [first] = hunks;
  return first === undefined
    ? []
    : [
        {
          ...{ ...shapeOf(first.lines, path), fingerprint: hash("rewritten"), place: hash("rewritten") },
          leftOut: shortHash(...hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`))),
        },
      ];
}

function shapeOf(lines: readonly DiffLine[], path: string): HunkShape {
  const removed = lines.filter(({ kind }) => kind === "removed");
  const added = lines.filter(({ kind }) => kind === "added");
  const where = placeOf(removed[0] ?? added[0], path);
  const [went, came] = withoutTokens(removed.map(changedOf), added.map(changedOf));
  return {
    fingerprint: hash(
      where,
      ...went.map((line) => wordsOf(line, path)),
      "\0",
      ...came.map((line) => wordsOf(line, path)),
    ),
    place: hash(where),
    removed: excerpt(removed),
    added: excerpt(added),
    kind: "content",
    leftOut: numbersHash(
      [removed, added].map((side) => side.map((line) => wordsIn(line, path)).join("\n")),
      [...went, ...came].flat().flatMap((words) => words.slice(normalisedMax) || []),
    ),
  };
}

/** What of a line readers see, without ids; of a long one, what stands around its changes. */
function wordsIn({ text, marks = [] }: DiffLine, path: string): string {
  const seen =
    text.length <= normalisedMax ? text : marks.length === 0 ? text.slice(0, normalisedMax) : around(text, marks);
  return withoutIds(seen.replaceAll(/<[^<>]*>/g, " "), path);
}

const aroundMax = 200;

function around(text: string, marks: readonly (readonly [number, number])[]): string {
  const parts: string[] = [];
  let behind = 0;
  for (const [from, to] of marks) {
    const part = text.slice(Math.max(behind, from - aroundMax), to + aroundMax);
    // not the half of a tag, whose numbers nobody sees
    parts.push(part.replace(/^[^<>]*>/, "").replace(/<[^<>]*$/, ""));
    behind = to + aroundMax;
  }
  return parts.join(" ");
}

/** @param rests texts that count as they stand */
function numbersHash(texts: readonly string[], rests: readonly string[] = []): string | null {
  const numbers = texts.map((text) => (text.match(/\d+/g) ?? []).join(" "));
  return rests.length === 0 && numbers.every((each) => each === "") ? null : shortHash(...numbers, ...rests);
}

/** Files that changed are kinds of change too, each of them one for all pages that need it. */
const filesMax = 20;

/** A file that changed; hashes of its contents, null where there is none. */
interface FileChange {
  readonly url: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** @param files that changed; those behind the first are one kind together */
export function fileShapes(files: readonly FileChange[]): HunkShape[] {
  const leftOut = (of: readonly FileChange[]) =>
    shortHash(...of.flatMap(({ before, after }) => [before ?? "", after ?? ""]));
  const [first, rest] = [files.slice(0, filesMax), files.slice(filesMax)];
  const named = first.map((file) => ({
    ...besideShape("file", fileKey(file.url), "", file.url),
    leftOut: leftOut([file]),
  }));
  return rest.length === 0
    ? named
    : [...named, { ...besideShape("file", "\0more", "", "further files"), leftOut: leftOut(rest) }];
}

/** What is said otherwise beside a page's content: a header, or the status. */
export function factShape(fact: string, before: string | null, after: string | null): HunkShape {
  const told = (value: string | null) => (value === null ? "" : `${fact.replaceAll("_", " ")}: ${value}`);
  return {
    ...besideShape(fact === "status" ? "status" : "header", fact, told(before), told(after)),
    // the numbers of a policy are those of hashes
    leftOut: fact === "csp" ? null : numbersHash([before, after].map((value) => withoutIds(value ?? "", ""))),
  };
}

function besideShape(kind: ChangedKind, where: string, removed: string, added: string): Omit<HunkShape, "leftOut"> {
  const change = kind === "file" ? [] : [normalised(removed, ""), normalised(added, "")];
  return {
    ...{ fingerprint: hash(kind, where, ...change), place: hash(kind, where), kind },
    removed: cutText(removed),
    added: cutText(added),
  };
}

/** Of an address what stays when its version changes: numbers and ids of the query are left out. */
function fileKey(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query) + normalised(url.slice(query), "");
}

const skeletonMax = 300;

/** The element in which a line begins; of a line without one, what of it stays. */
function placeOf(line: DiffLine | undefined, path: string): string {
  if (line === undefined) return "";
  const tag = /^[^<]{0,40}<[^>]{0,300}/.exec(line.text);
  if (tag !== null) return normalised(tag[0], path);
  let [kept, at] = ["", 0];
  for (const [from, to] of line.marks ?? []) {
    kept += line.text.slice(at, from);
    at = to;
  }
  return line.marks === undefined ? "" : normalised((kept + line.text.slice(at)).slice(0, skeletonMax), path);
}

/** The whole words of a line that changed; all of it where hardly anything stays. */
function changedOf({ text, marks }: DiffLine): string[] {
  if (marks === undefined || marks.length === 0) return [text];
  const words: string[] = [];
  const ids = idsIn(text);
  let behind = 0;
  let pending = "";
  for (const [from, to] of marks) {
    // digits and letters of one token, and parts of one id, may be told apart by the comparison
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
const isLetter = (character = ""): boolean => /[A-Za-z0-9]/.test(character);
const lettersBefore = (text: string, at: number): number =>
  /[A-Za-z0-9]*$/.exec(text.slice(Math.max(0, at - tokenMax), at))?.[0].length ?? 0;
const lettersBehind = (text: string, at: number): number =>
  /^[A-Za-z0-9]*/.exec(text.slice(at, at + tokenMax))?.[0].length ?? 0;

/** What nobody wrote is left out of both sides: a word with digits between letters, and the word that stands in its place. */
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

/** Tokens of one kind differ by so many characters at most, as numbers written with 36 digits do. */
const lengthsApart = 3;
const isWord = (text: string): boolean => /^[A-Za-z0-9_+/=-]{6,128}$/.test(text);
/** Digits between letters or letters between digits, as in no word and no name of a version. */
const isToken = (word: string): boolean => /[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d/.test(word);

function wordsOf(words: readonly string[], path: string): string {
  return words.map((word) => normalised(word, path)).join("\u0001");
}

/** Numbers, ids and the page's own address differ from page to page. */
function normalised(text: string, path: string): string {
  return withoutIds(text.slice(0, normalisedMax), path).replaceAll(/\d+/g, "#").replaceAll(/\s+/g, " ").trim();
}

function withoutIds(text: string, path: string): string {
  const own = path.length > 1 ? text.replaceAll(path, "\u0002") : text;
  return own
    .replaceAll(quoted, (value, _quote, inside: string) => (isRandom(inside) ? '"#"' : value))
    .replaceAll(uuids, "#")
    .replaceAll(hashes, "#");
}

/** With a letter at least: digits alone may be a telephone number, which people see. */
const hashes = /\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{8,}\b/gi;

const uuids = /(?<![0-9a-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])/gi;
/** A value in quotes that base64 could be; of a tag that was cut off the quote behind it may be missing. */
const quoted = /(["'])([A-Za-z0-9+/_-]{20,})={0,2}(?:\1|$)/g;

/** Where ids of several parts stand in a line, quotes included: from and to. */
function idsIn(text: string): [number, number][] {
  const values = [...text.matchAll(quoted)].filter(([, , inside = ""]) => isRandom(inside));
  return [...text.matchAll(uuids), ...values].map(({ index, 0: id }) => [index, index + id.length]);
}

/** Capitals, small letters and digits take turns at two of three characters of a random text, at few of a name or a path. One in twenty-five that are 22 characters long is not recognised. */
function isRandom(text: string): boolean {
  const turns = text.match(/[A-Z](?=[a-z0-9])|[a-z](?=[A-Z0-9])|\d(?=[A-Za-z])/g)?.length ?? 0;
  return turns >= text.length * 0.33 && /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);
}

function excerpt(lines: readonly DiffLine[]): string {
  let text = "";
  for (const line of lines) {
    if (text.length > excerptMax) break;
    // a long line is shown around what changed in it
    const from = line.text.length > excerptMax ? Math.max(0, (line.marks?.[0]?.[0] ?? 0) - 60) : 0;
    text += `${text === "" ? "" : "\n"}${from > 0 ? "…" : ""}${line.text.slice(from, from + excerptMax)}`;
  }
  return cutText(text);
}

function cutText(text: string): string {
  const cut = text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text;
  return cut.toWellFormed().replaceAll(standIn, "…").replaceAll("\0", "\uFFFD");
}

function hash(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}

const shortHash = (...parts: readonly string[]): string => hash(...parts).slice(0, 16);
