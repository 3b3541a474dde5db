import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import { formatDate } from "../../ui/format/dates.js";
import { t } from "../../texts/text.js";

function sideWords(side: ComparedSide, other: string): string {
  switch (side.type) {
    case "latest":
      return t("the newest snapshots");
    case "previous":
      return t("the snapshots before");
    case "baseline":
      return t("what was accepted last");
    case "label":
      return t("the fetch labelled {label}", { label: side.label });
    case "run":
      return t("the fetch");
    case "object":
      return t("the newest snapshots of {other}", { other });
    case "time":
      return t("the state of {at}", { at: formatDate(side.at) });
  }
}

/**
 * Says what a comparison compares, as the beginning of a sentence.
 * @param other name of the other test object, where there is one
 */
export function comparedWords({ from, to }: { from: ComparedSide; to: ComparedSide }, other: string): string {
  const words = t("{newer} with {older}", {
    newer: sideWords(to, other),
    older: from.type === "run" ? t("an earlier fetch") : sideWords(from, other),
  });
  return words.charAt(0).toUpperCase() + words.slice(1);
}
