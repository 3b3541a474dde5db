import type { DiffHunks, FileDiff } from "@web-tester/contracts/entities/compare";
import { assetName } from "../../ui/assets/asset-words.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { toPatch } from "./patch.js";

const textOf = (diff: DiffHunks | FileDiff): string => {
  const name = "file" in diff ? assetName(diff.file.url).name : undefined;
  // a patch of another form fits to what that form is, not to the HTML
  const ending = diff.as === "source" ? "html" : diff.as === "text" ? "text.txt" : "formatted.html";
  const nameOf = (number: number) =>
    name === undefined ? `snapshot-${number}.${ending}` : `snapshot-${number}/${name}`;
  return toPatch(diff, `a/${nameOf(diff.a.number)}`, `b/${nameOf(diff.b.number)}`);
};

/** Puts the difference as a patch on the clipboard. */
export async function copyPatch(diff: DiffHunks): Promise<void> {
  try {
    await navigator.clipboard.writeText(textOf(diff));
    toast("success", t("Patch copied"));
  } catch {
    toast("error", t("The browser did not allow copying. Download the patch instead."));
  }
}

/** Saves the difference as a patch file. */
export function downloadPatch(diff: DiffHunks): void {
  const url = URL.createObjectURL(new Blob([textOf(diff)], { type: "text/x-patch" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `snapshots-${diff.a.number}-${diff.b.number}.patch`;
  link.click();
  URL.revokeObjectURL(url);
}
