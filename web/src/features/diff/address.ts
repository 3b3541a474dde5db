import {
  type DiffType,
  diffType,
  diffView,
  type DiffView,
  type FormChoice,
  formChoice,
} from "@web-tester/contracts/entities/vocabulary";
import type { QueryInput } from "@web-tester/contracts/api";
import { limits } from "@web-tester/contracts/limits";
import { type LineAddress, readLine, writeLine } from "./linked-line.js";

/** What the address of /diff contains; every choice of view is in it, so that a link shows the same. */
export interface DiffAddress {
  /** The query; undefined where a side is missing. */
  readonly query: QueryInput<"getDiffHunks"> | undefined;
  /** The sides as given, for what can be shown of an incomplete address. */
  readonly a: string | undefined;
  /** A file of both snapshots that is compared instead of their HTML: its address in B. */
  readonly file: string | undefined;
  readonly b: string | undefined;
  readonly by: DiffType;
  /** The form in which pages are compared; `auto` where the address has none. */
  readonly as: FormChoice;
  /** Split is possible for lines only. */
  readonly view: DiffView;
  readonly numbers: boolean;
  /** Whether ignored changes are shown. */
  readonly ignored: "shown" | "hidden";
  readonly context: number;
  /** The line to go to, such as `b120`. */
  readonly line: string | undefined;
}

/**
 * Reads both forms of the address: `a` and `b` are snapshots, `instance1`/`snapshot1` and `instance2`/`snapshot2` name them by
 * instance.
 */
export function readAddress(search: URLSearchParams): DiffAddress {
  const text = (name: string) => search.get(name)?.trim() || undefined;
  const by = diffType.safeParse(search.get("diffType")).data ?? "lines";
  const view = diffView.safeParse(search.get("view")).data ?? "unified";
  const context = readContext(search.get("context"));
  const as = formChoice.safeParse(search.get("as")).data ?? "auto";
  const a = text("a");
  const b = text("b");
  const sideA =
    a !== undefined
      ? { a }
      : text("instance1") !== undefined
        ? { instance1: text("instance1"), snapshot1: text("snapshot1") }
        : undefined;
  const sideB =
    b !== undefined
      ? { b }
      : text("instance2") !== undefined
        ? { instance2: text("instance2"), snapshot2: text("snapshot2") }
        : undefined;
  return {
    query: sideA === undefined || sideB === undefined ? undefined : { ...sideA, ...sideB, diffType: by, context, as },
    a: a ?? text("snapshot1"),
    file: text("file"),
    b: b ?? text("snapshot2"),
    by,
    as,
    view: by === "lines" ? view : "unified",
    numbers: search.get("numbers") !== "off",
    ignored: search.get("ignored") === "off" ? "hidden" : "shown",
    context,
    line: readLine(search.get("line")) === undefined ? undefined : text("line"),
  };
}

/** Reads the number of unchanged lines: a whole number from 0 to 100, 3 where it is missing or invalid. Source: specification §5, §9. */
function readContext(text: string | null): number {
  if (text === null || !/^\d{1,6}$/.test(text)) return limits.defaultContextLines;
  return Math.min(limits.maxContextLines, Number(text));
}

export interface DiffChoice {
  a?: string;
  b?: string;
  by?: DiffType;
  as?: FormChoice;
  view?: DiffView;
  numbers?: boolean;
  ignored?: "shown" | "hidden";
  context?: number;
  line?: LineAddress;
}

/** Returns the address after a choice; chosen sides replace whatever named them before. */
export function writeAddress(search: URLSearchParams, choice: DiffChoice): URLSearchParams {
  const next = new URLSearchParams(search);
  const replace = (name: string, value: string, old: readonly string[]) => {
    for (const each of old) next.delete(each);
    next.set(name, value);
  };
  if (choice.a !== undefined) replace("a", choice.a, ["instance1", "snapshot1"]);
  if (choice.b !== undefined) replace("b", choice.b, ["instance2", "snapshot2"]);
  if (choice.by !== undefined) next.set("diffType", choice.by);
  if (choice.as !== undefined) next.set("as", choice.as);
  if (choice.view !== undefined) next.set("view", choice.view);
  if (choice.context !== undefined) next.set("context", String(choice.context));
  // lines of other snapshots, or of another form, have other numbers
  if (choice.a !== undefined || choice.b !== undefined || choice.as !== undefined) next.delete("line");
  if (choice.line !== undefined) next.set("line", writeLine(choice.line));
  if (choice.numbers === true) next.delete("numbers");
  if (choice.numbers === false) next.set("numbers", "off");
  if (choice.ignored === "shown") next.delete("ignored");
  if (choice.ignored === "hidden") next.set("ignored", "off");
  return next;
}
