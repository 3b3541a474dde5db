import { firstFault } from "@web-tester/contracts/entities/error-body";
import { ApiError, messageOf } from "../../api/api-error.js";
import { language } from "../../texts/language.js";

/** Says what is wrong with a schedule in plain words, where the server names a fault: without the status and the path of the field. */
export function faultWords(error: unknown): string {
  const fault = error instanceof ApiError ? firstFault(error.details) : undefined;
  if (!(error instanceof ApiError) || fault === undefined) return messageOf(error);
  return language() === "en" ? `${fault.message}.` : error.reason;
}
