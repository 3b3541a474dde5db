import { runConflict, type RunConflict, unreviewedRun, type UnreviewedRun } from "@web-tester/contracts/entities/run";
import { errorBody, firstFault } from "@web-tester/contracts/entities/error-body";
import { inCatalogue } from "../texts/language.js";
import { byCode, t } from "../texts/text.js";

/**
 * A failed call; `message` reads "HTTP {status}: {body}" (specification §8), `reason` is the body's own text. Status 0 means that the
 * server did not answer; the message is then the text alone.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly reason: string;
  readonly details: unknown;

  constructor(status: number, code: string, said: string, details?: unknown) {
    const reason = faultInLanguage(details) ?? inLanguage(code, said);
    super(status === 0 ? reason : `HTTP ${status}: ${reason}`);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

/** Translates an error by its code, since the server writes English: the original text follows as the detail. */
export function inLanguage(code: string, said: string): string {
  const sentence = inCatalogue(`error:${code}`);
  return sentence === undefined ? said : `${sentence} (${said})`;
}

/** Translates the first fault of an error by the fault's own code; undefined where it has none, or where the reader's language is English. */
function faultInLanguage(details: unknown): string | undefined {
  const fault = firstFault(details);
  return fault && byCode(`fault:${fault.code}`, fault.values);
}

/** Reads a failed answer: our own error body where it is one, else its text, else the words of its status. */
export function readError(status: number, statusText: string, text: string): ApiError {
  try {
    const body = errorBody.parse(JSON.parse(text));
    return new ApiError(status, body.code, body.message, body.details);
  } catch {
    const plain = /^\s*</.test(text) ? "" : text.trim().slice(0, 500);
    return new ApiError(status, "unknown", plain || statusText || t("The server gave no reason."));
  }
}

/** The message to show for anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why something failed, to be shown below words that say what failed: without the number of the status. */
export const causeOf = (error: unknown): string => (error instanceof ApiError ? error.reason : messageOf(error));

export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || (error.status === 400 && error.code === "invalid_input"));

/** Whether a retry may help: refusals stay refusals, except for 408 and 429; status 0 is a server that did not answer. */
export const mayHelpAgain = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status < 400 || error.status >= 500 || [408, 429].includes(error.status);

/** The run that is in the way of a call; null where the error is of another kind. */
export function conflictOf(error: unknown): RunConflict | null {
  if (!(error instanceof ApiError) || error.code !== "conflict") return null;
  return runConflict.safeParse(error.details).data ?? null;
}

/** The run whose review was asked for though it has none; null where the error is of another kind. */
export const unreviewedOf = (error: unknown): UnreviewedRun | null =>
  error instanceof ApiError && error.status === 404 ? (unreviewedRun.safeParse(error.details).data ?? null) : null;
