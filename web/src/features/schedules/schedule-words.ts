import type { ScheduleInput, ScheduleTime } from "@web-tester/contracts/entities/schedule";
import { language } from "../../texts/language.js";
import { t } from "../../texts/text.js";
import { choiceOf, dayNames } from "./schedule-choice.js";

/**
 * Says when a schedule is due, in the reader's language.
 * @param words the server's own, in English
 */
export function scheduleWords({ time, quiet, jitter_minutes: jitter }: ScheduleInput, words: string): string {
  if (language() === "en") return words;
  const parts = [timeWords(time)];
  if (quiet !== null)
    parts.push(
      t("not between {from} and {until} ({zone})", { from: quiet.from, until: quiet.until, zone: quiet.time_zone }),
    );
  if (jitter > 0) parts.push(t("up to {n} minute later|up to {n} minutes later", { n: jitter }));
  return parts.join(", ");
}

const everyWords = {
  minutes: "Every {n} minute|Every {n} minutes",
  hours: "Every {n} hour|Every {n} hours",
  days: "Every {n} day|Every {n} days",
} as const;

function timeWords(time: ScheduleTime): string {
  const choice = choiceOf(time);
  const { zone } = choice;
  if (choice.way === "every") return t(everyWords[choice.unit], { n: choice.count });
  if (choice.way === "cron") return t("Cron {cron} ({zone})", { cron: choice.cron, zone });
  if (choice.days.length === 7) return t("Every day at {clock} ({zone})", { clock: choice.clock, zone });
  const days = choice.days.flatMap((day) => dayNames[day] ?? []).map((day) => t(day));
  return t("{days} at {clock} ({zone})", { days: days.join(", "), clock: choice.clock, zone });
}
