import { budgets } from "@web-tester/contracts/limits";
import { t } from "../texts/text.js";
import { formatBytes } from "./format/bytes.js";
import { toast } from "./toasts/toasts.js";

/** Rejects pasted text that is larger than a page may be: the browser would freeze for minutes while it lays the text out. */
export function refuseHugePaste(event: React.ClipboardEvent): void {
  const { length } = event.clipboardData.getData("text/plain");
  if (length <= budgets.htmlMaxBytes) return;
  event.preventDefault();
  toast(
    "error",
    t("What you pasted has {size}. More than {limit} would make the browser stand still: paste a part of it.", {
      size: formatBytes(length),
      limit: formatBytes(budgets.htmlMaxBytes),
    }),
  );
}
