import { decodeAs } from "@web-tester/html/charset/decode-as";
import { decodeHtml } from "@web-tester/html/charset/decode";
import { decodeCss } from "@web-tester/html/charset/decode-css";
import { type ScriptsDrew, scriptsDrew } from "@web-tester/html/text/scripts-drew";
import { type ScriptSignature, scriptSignature } from "@web-tester/html/text/script-signature";
import { isJsShell } from "@web-tester/html/text/js-shell";
import { type ListedAsset, listCssAssets, listPageAssets } from "@web-tester/html/replay/list-assets";
import type { ReplayContext } from "@web-tester/html/replay/replay-context";

/** What a page says about its scripts. */
export interface PageSigns {
  isShell: boolean;
  /** Null where the page runs no scripts. */
  scripts: ScriptSignature | null;
}

/**
 * What to find out from bytes: what a page says about its scripts, what its scripts made of it, or which files a page, a
 * nested document or a stylesheet names.
 */
export type ReadTask = { bytes: Uint8Array } & (
  | { find: "signs"; charset: string; baseUrl: string }
  | { find: "drawn"; drawn: Uint8Array }
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

export type ReadAnswer = ListedAsset[] | PageSigns | ScriptsDrew;

/** Does a task, in time linear in its bytes. */
export function readPage(task: ReadTask): ReadAnswer {
  const { bytes } = task;
  switch (task.find) {
    case "signs": {
      const html = decodeAs(bytes, task.charset);
      return { isShell: isJsShell(html), scripts: scriptSignature(html, task.baseUrl) };
    }
    case "drawn":
      return scriptsDrew(decodeAs(bytes, "utf-8"), decodeAs(task.drawn, "utf-8"));
    case "page-assets":
      return listPageAssets(decodeAs(bytes, task.charset), task.baseUrl, task.noscript, task.filesMax);
    case "document-assets":
      return listPageAssets(decodeHtml(bytes, task.contentType).text, task.baseUrl, task.noscript, task.filesMax);
    case "css-assets":
      return listCssAssets(decodeCss(bytes, task.contentType), task.baseUrl, task.filesMax);
  }
}
