import type { SaidVerdict } from "@web-tester/contracts/entities/review";
import { formatDate } from "../../ui/format/dates.js";
import { t } from "../../texts/text.js";

const words = { accepted: "Accepted", ignored: "Ignored", problem: "Problem" } as const;

/** A verdict in words: what, by whom and when. */
export function verdictWords({ verdict, note, author, at }: SaidVerdict): string {
  return `${t(words[verdict])}${note === "" ? "" : `: ${note}`} (${author}, ${formatDate(at)})`;
}
