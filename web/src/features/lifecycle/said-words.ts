import { readSaid } from "@web-tester/contracts/lifecycle-said";
import { formatDate } from "../../ui/format/dates.js";
import { byCode } from "../../texts/text.js";

/** Says in the reader's language how it is known what became of a page; the stored English where there is no other text. */
export function saidWords(said: string): string {
  const found = readSaid(said);
  return (found && byCode(`said:${found.code}`, { at: formatDate(found.at) })) ?? said;
}
