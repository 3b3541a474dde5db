import { type CodedFault, codedFault } from "@web-tester/contracts/faults";
import { cronOf } from "./cron-of.js";

/** The faults of the five fields, in their order. */
const fields = ["cron_minute", "cron_hour", "cron_day", "cron_month", "cron_weekday"] as const;

/** Returns what is wrong with a cron expression, naming the first field that is; null when it is due some time after a moment. */
export function cronFault(cron: string, zone: string, now: Date): CodedFault | null {
  const parts = cron.trim().split(/\s+/);
  const isShortForm = cron.startsWith("@");
  if (!isShortForm && parts.length !== fields.length) return codedFault("cron_fields", { count: parts.length });
  const refusal = refusalOf(cron, zone);
  if (refusal !== null)
    return isShortForm ? codedFault("cron_short_form", { value: cron }) : (wrongField(parts) ?? unreadable(refusal));
  return cronOf(cron, zone).nextRun(now) === null ? codedFault("cron_never") : null;
}

/** Returns croner's words for why it does not read an expression; null when it does. */
function refusalOf(cron: string, zone: string): string | null {
  try {
    cronOf(cron, zone);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Finds the wrong field by reading each of them alone: croner's own words name fields by number, from 1 or 0, or not at all. */
function wrongField(parts: readonly string[]): CodedFault | null {
  for (const [index, code] of fields.entries()) {
    const value = parts[index] ?? "";
    const alone = fields.map((_, at) => (at === index ? value : "*")).join(" ");
    if (refusalOf(alone, "UTC") !== null) return codedFault(code, { value });
  }
  return null;
}

const unreadable = (refusal: string): CodedFault =>
  codedFault("cron_unreadable", { reason: refusal.replace(/^Cron\w*: ?/, "").replace(/\.$/, "") });
