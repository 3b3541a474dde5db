import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import { formatDate } from "../../ui/format/dates.js";

function sideWords(side: ComparedSide, other: string): string {
  switch (side.type) {
    case "latest":
      return "the newest snapshots";
    case "previous":
      return "the snapshots before";
    case "baseline":
      return "what was accepted last";
    case "label":
      return `the fetch labelled ${side.label}`;
    case "run":
      return "the fetch";
    case "object":
      return `the newest snapshots of ${other}`;
    case "time":
      return `the state of ${formatDate(side.at)}`;
  }
}

/**
 * What a comparison compares, as a part of a sentence that begins with it.
 * @param other name of the other test object, where it is one
 */
export function comparedWords({ from, to }: { from: ComparedSide; to: ComparedSide }, other: string): string {
  const words = `${sideWords(to, other)} with ${from.type === "run" ? "an earlier fetch" : sideWords(from, other)}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
