import type { Run } from "@web-tester/contracts/entities/run";
import { type Label, t } from "../../texts/text.js";

const ways: Readonly<Record<Run["started_by"], Label>> = {
  person: "by somebody in the browser",
  api: "over the API",
  cli: "from the command line",
  schedule: "by a schedule",
  product: "by itself",
};

/** Says who began a run, and how: "by Ada, from the command line". */
export function starterWords({ started_by: by, started_name: name }: Pick<Run, "started_by" | "started_name">): string {
  if (name === null) return t(ways[by]);
  return by === "person" ? t("by {who}", { who: name }) : t("by {who}, {way}", { who: name, way: t(ways[by]) });
}
