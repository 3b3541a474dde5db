import { questions, type TextMarks } from "@web-tester/contracts/messages";
import { askQuestion } from "../http/ask-question.js";
import type { Bus } from "@web-tester/platform/bus/bus";

interface Side {
  /** SHA-256 in hex. */
  hash: string;
  charset: string | null;
}

/**
 * Finds which words that two pages show differ.
 * @throws AppError unavailable where no differ answers in time; content_missing, content_damaged
 */
export async function askMarks(bus: Bus, a: Side, b: Side): Promise<TextMarks> {
  if (a.hash === b.hash && a.charset === b.charset)
    return { a: [], b: [], added: 0, removed: 0, coarse: false, truncated: false };
  return askQuestion(bus, questions.marks, { a: side(a), b: side(b) });
}

const side = ({ hash, charset }: Side) => ({ sha256: hash, charset: charset ?? "utf-8" });
