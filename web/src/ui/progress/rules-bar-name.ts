import type { Progress } from "@web-tester/contracts/entities/run";
import { t } from "../../texts/text.js";

/** Names the run that the bar `rules` shows: the search for noise has the bar too. */
export const rulesBarName = ({ kind }: Pick<Progress, "kind">): string =>
  t(kind === "noise" ? "Search for noise" : "Rules over the history");
