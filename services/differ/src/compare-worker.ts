import { assertNever } from "@web-tester/contracts/assert-never";
import type { DiffType } from "@web-tester/contracts/entities";
import type { DiffResult, TextMarks } from "@web-tester/contracts/messages";
import { compare } from "@web-tester/diff/compare";
import { countChangedLines } from "@web-tester/diff/count-changes";
import { decodeAs } from "@web-tester/html/decode-as";
import { changedWords } from "./changed-words.js";
import type { Counts } from "./comparer.js";

interface Documents {
  a: Uint8Array;
  b: Uint8Array;
  charsetA: string;
  charsetB: string;
}
export interface CountTask extends Documents {
  kind: "count";
}
export interface MarkTask extends Documents {
  kind: "mark";
}
export interface CompareTask extends Documents {
  kind: "compare";
  by: DiffType;
  /** Unchanged lines around each change. */
  context: number;
}

/** Runs in a worker thread. */
export default function work(task: CountTask | MarkTask | CompareTask): Counts | TextMarks | DiffResult {
  const a = decodeAs(task.a, task.charsetA);
  const b = decodeAs(task.b, task.charsetB);
  switch (task.kind) {
    case "count": {
      const { added, removed, coarse } = countChangedLines(a, b);
      return { added, removed, coarse };
    }
    case "mark":
      return changedWords(a, b);
    case "compare": {
      const { identical, coarse, truncated, added, removed, changes, aLines, bLines, hunks } = compare(a, b, {
        by: task.by,
        context: task.context,
      });
      return { identical, coarse, truncated, added, removed, changes, aLines, bLines, hunks };
    }
    default:
      return assertNever(task);
  }
}
