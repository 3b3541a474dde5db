import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import type { DiffType, FormChoice } from "@web-tester/contracts/entities/vocabulary";
import { type DiffFigures, type DiffResult, type OriginMap, questions } from "@web-tester/contracts/messages";
import { countLines } from "@web-tester/diff/lines/line-range";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { SiteMaps } from "@web-tester/urls/site-maps";
import { askQuestion } from "../http/ask-question.js";
import { readHtml } from "../snapshots/read-html.js";

/** The content of one side; `hash` in hex. */
export interface ComparedContent {
  hash: string;
  charset: string | null;
}

/** Long hunks as the differ wrote them: a JSON list in UTF-8. Parsing it would block the event loop, only for it to be serialised again. */
export interface LongDiff {
  figures: DiffFigures;
  hunks: Buffer;
}

/**
 * Returns the difference between two contents. Equal contents need no comparison; large answers are read from the object store.
 * @throws AppError unavailable where no differ answers in time; content_missing, content_damaged
 */
export async function askDiffer(
  bus: Bus,
  store: ObjectStore,
  a: ComparedContent,
  b: ComparedContent,
  by: DiffType,
  context: number,
  as: FormChoice = "source",
  of: { path: string; rules: AppliedRule[]; maps?: SiteMaps | undefined } = { path: "/", rules: [] },
): Promise<DiffResult | LongDiff> {
  if (as === "source" && a.hash === b.hash && a.charset === b.charset) {
    const lines = countLines(await readHtml(store, a));
    return {
      identical: true,
      coarse: false,
      truncated: false,
      added: 0,
      removed: 0,
      changes: 0,
      aLines: lines,
      bLines: lines,
      hunks: [],
      as,
    };
  }
  const { path, rules, maps } = of;
  const sides = { a: side(a, maps?.older), b: side(b, maps?.newer) };
  const answer = await askQuestion(bus, questions.diff, { ...sides, by, context, as, path, rules });
  if ("inline" in answer) return answer.inline;
  return { figures: answer.figures, hunks: await store.read(Buffer.from(answer.storedHunks, "hex")) };
}

function side({ hash, charset }: ComparedContent, readAs?: OriginMap) {
  return { sha256: hash, charset: charset ?? "utf-8", ...(readAs === undefined ? {} : { readAs }) };
}
