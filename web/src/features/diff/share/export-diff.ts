import type { DiffHunks, FileDiff } from "@web-tester/contracts/entities/compare";
import { assetName } from "../../../ui/assets/asset-words.js";
import { fileName } from "../../../ui/download/list-file.js";
import { saveFile } from "../../../ui/download/save-file.js";
import { toast } from "../../../ui/toasts/toasts.js";
import { t } from "../../../texts/text.js";
import { diffDocument } from "./diff-document.js";
import { diffPicture } from "./diff-picture.js";
import { toPatch } from "./patch.js";

/** The name of the compared file; undefined for the page itself. */
const fileOf = (diff: DiffHunks | FileDiff) => ("file" in diff ? assetName(diff.file.url).name : undefined);

const textOf = (diff: DiffHunks | FileDiff): string => {
  const name = fileOf(diff);
  // a patch of another form applies to that form, not to the HTML
  const ending = diff.as === "source" ? "html" : diff.as === "text" ? "text.txt" : "formatted.html";
  const nameOf = (number: number) =>
    name === undefined ? `snapshot-${number}.${ending}` : `snapshot-${number}/${name}`;
  return toPatch(diff, `a/${nameOf(diff.a.number)}`, `b/${nameOf(diff.b.number)}`);
};

/** Copies the difference as a patch. */
export async function copyPatch(diff: DiffHunks): Promise<void> {
  try {
    await navigator.clipboard.writeText(textOf(diff));
    toast("success", t("Patch copied"));
  } catch {
    toast("error", t("The browser did not allow copying. Download the patch instead."));
  }
}

const titleOf = (diff: DiffHunks) => {
  const of = t("{name} #{number} and #{number2}", {
    name: diff.instance.name || diff.instance.url,
    number: String(diff.a.number),
    number2: String(diff.b.number),
  });
  const file = fileOf(diff);
  return file === undefined ? of : `${file}, ${of}`;
};

const nameOf = (diff: DiffHunks) =>
  fileName(`${fileOf(diff) ?? (diff.instance.name || diff.instance.url)} ${diff.a.number} ${diff.b.number}`);

/** Saves the difference as a patch file. */
export function downloadPatch(diff: DiffHunks): void {
  saveFile(new Blob([textOf(diff)], { type: "text/x-patch" }), `snapshots-${diff.a.number}-${diff.b.number}.patch`);
}

/** Saves the difference as an HTML page, for people without access to the product. */
export function downloadHtml(diff: DiffHunks): void {
  // not the present address, which may contain the secret of a share link
  const address = new URL(`/diff?a=${diff.a.id}&b=${diff.b.id}`, globalThis.location.origin).href;
  const html = diffDocument(diff, titleOf(diff), address);
  saveFile(new Blob([html], { type: "text/html" }), `${nameOf(diff)}.html`);
}

/** Saves the difference as a picture in the colours of the screen. */
export async function downloadPicture(diff: DiffHunks): Promise<void> {
  const theme = document.documentElement.dataset["mantineColorScheme"] === "dark" ? "dark" : "light";
  saveFile(await diffPicture(diff, titleOf(diff), theme), `${nameOf(diff)}.png`);
}
