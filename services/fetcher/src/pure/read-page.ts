import { decodeAs } from "@web-tester/html/charset/decode-as";
import { decodeHtml } from "@web-tester/html/charset/decode";
import { decodeCss } from "@web-tester/html/charset/decode-css";
import { isJsShell } from "@web-tester/html/text/js-shell";
import { type ListedAsset, listCssAssets, listPageAssets } from "@web-tester/html/replay/list-assets";
import type { ReplayContext } from "@web-tester/html/replay/replay-context";

/** What is to be found out from bytes: whether a page is a shell for scripts, or which files it, a document in it or a stylesheet names. */
export type ReadTask = { bytes: Uint8Array } & (
  | { find: "shell"; charset: string }
  | {
      find: "page-assets";
      charset: string | null;
      baseUrl: string;
      noscript: ReplayContext["noscript"];
      filesMax: number;
    }
  | {
      find: "document-assets";
      contentType: string;
      baseUrl: string;
      noscript: ReplayContext["noscript"];
      filesMax: number;
    }
  | { find: "css-assets"; contentType: string; baseUrl: string; filesMax: number }
);

/** Does a task, in time linear in its bytes. */
export function readPage(task: ReadTask): ListedAsset[] | boolean {
  const { bytes } = task;
  switch (task.find) {
    case "shell":
      return isJsShell(decodeAs(bytes, task.charset));
    case "page-assets":
      return listPageAssets(decodeAs(bytes, task.charset), task.baseUrl, task.noscript).slice(0, task.filesMax);
    case "document-assets":
      return listPageAssets(decodeHtml(bytes, task.contentType).text, task.baseUrl, task.noscript).slice(
        0,
        task.filesMax,
      );
    case "css-assets":
      return listCssAssets(decodeCss(bytes, task.contentType), task.baseUrl).slice(0, task.filesMax);
  }
}
