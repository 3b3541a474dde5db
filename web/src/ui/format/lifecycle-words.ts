import type { LifecycleKind } from "@web-tester/contracts/entities/lifecycle";
import type { Label } from "../../texts/text.js";

/** The words for what became of a page. */
export const lifecycleWords: Readonly<Record<LifecycleKind, Label>> = {
  new: "New",
  gone: "Gone",
  unlinked: "No longer linked",
  moved: "Moved",
  back: "Back",
  flapping: "Flapping",
};
