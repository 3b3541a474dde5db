import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import { formatDate } from "../../ui/format/dates.js";

function sideWords(side: ComparedSide): string {
  switch (side.type) {
    case "latest":
      return "the newest snapshots";
    case "previous":
      return "the snapshots before";
    case "baseline":
      return "what was accepted last";
    case "run":
      return "the fetch";
    case "time":
      return `the state of ${formatDate(side.at)}`;
  }
}

/** What a comparison compares, as a part of a sentence that begins with it. */
export function comparedWords({ from, to }: { from: ComparedSide; to: ComparedSide }): string {
  const words = `${sideWords(to)} with ${from.type === "run" ? "an earlier fetch" : sideWords(from)}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
