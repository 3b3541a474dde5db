import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import type { LineAddress } from "./linked-line.js";

/** Copies the link to a line. */
export async function copyLink(address: string, { no }: LineAddress): Promise<void> {
  const line = String(no);
  try {
    await navigator.clipboard.writeText(new URL(address, globalThis.location.origin).href);
    toast("success", t("Link to line {line} copied", { line }));
  } catch {
    toast("info", t("The browser did not allow copying. The number of line {line} is the link to it.", { line }));
  }
}
