import { AppError } from "@web-tester/contracts/errors";
import { charsetLabel, charsetOf } from "@web-tester/html/charset/declared-charset";
import type { AssetRow } from "@web-tester/records/assets/snapshot-assets";

/** Extensions of stored files that are read as text. */
const textual = new Set(["css", "svg", "html", "txt", "json"]);

export function isText({ extension }: Pick<AssetRow, "extension">): boolean {
  return textual.has(extension);
}

/** The hash of a stored text and the charset to decode it with: the one that its server sent, else UTF-8. */
export function contentOf({ hash, content_type: contentType }: AssetRow): { hash: string; charset: string } {
  const label = charsetLabel(contentType);
  return { hash: hash ?? "", charset: (label === null ? null : charsetOf(label)) ?? "utf-8" };
}

/**
 * Finds a text file of a snapshot.
 * @throws AppError not_found, invalid_input where it is no text
 */
export function textOfFile(files: readonly AssetRow[], url: string): { hash: string; charset: string } {
  const file = files.find((one) => one.url === url && one.hash !== null);
  if (file === undefined)
    throw new AppError("not_found", `The snapshot keeps no file ${url}. With _action=assets it lists those it keeps.`);
  if (!isText(file)) throw new AppError("invalid_input", `${url} is no text. Open its stored copy instead.`);
  return contentOf(file);
}
