import { decodeAs } from "@web-tester/html/charset/decode-as";
import { decodeCss } from "@web-tester/html/charset/decode-css";
import { decodeHtml } from "@web-tester/html/charset/decode";
import { type MarkKind, markText } from "@web-tester/html/text/mark-text";
import type { ShownWindow } from "@web-tester/html/replay/css-length";
import type { NestedDocument } from "@web-tester/html/replay/replay-context";
import { rewriteCss, rewriteForReplay } from "@web-tester/html/replay/rewrite-for-replay";

/** A file of a page that is to be shown. `address`: the address that a browser loads it from; null where it is missing. */
export interface ReplayFile {
  url: string;
  baseUrl: string;
  address: string | null;
  extension: string;
  /** Whether it came with the status of an error. */
  isRefused: boolean;
  /** The content of documents in frames and of sprites, which become part of the page. */
  nested: { bytes: Uint8Array; contentType: string } | null;
}

/** A stored page with all that is needed to show it. */
export interface PageTask {
  kind: "page";
  bytes: Uint8Array;
  charset: string | null;
  baseUrl: string;
  noscript: "show" | "hide";
  /** Policies that the server sent with it (`ReplayContext`). */
  policies: readonly string[] | undefined;
  /** Pieces of the text that are marked, as `markText` takes them; null: none are. */
  marks: { ranges: readonly number[]; kind: MarkKind } | null;
  files: readonly ReplayFile[];
  /** The window that pictures are chosen for; without it, the browser that shows the page chooses. */
  window: ShownWindow | undefined;
}

/** A stored stylesheet. */
interface StyleTask {
  kind: "style";
  bytes: Uint8Array;
  contentType: string;
  baseUrl: string;
  files: readonly Pick<ReplayFile, "url" | "address">[];
}

export type ReplayTask = PageTask | StyleTask;

/**
 * Returns a page as HTML to be shown (`rewriteForReplay`), or a stylesheet, that refers to the stored copies of its files.
 * Takes seconds for the largest.
 */
export function replayText(task: ReplayTask): string {
  return task.kind === "page" ? pageText(task) : styleText(task);
}

function pageText({ bytes, charset, baseUrl, noscript, policies, marks, files, window }: PageTask): string {
  const text = decodeAs(bytes, charset);
  const byUrl = new Map(files.map((file) => [file.url, file]));
  // decoded before the page is parsed: detecting a charset parses markup, and only one text can be parsed at a time
  const texts = new Map(files.map((file) => [file, nestedText(file)]));
  const textOf = (file: ReplayFile) => texts.get(file) ?? null;
  return rewriteForReplay(marks === null ? text : markText(text, marks.ranges, marks.kind), {
    baseUrl,
    noscript,
    policies,
    window,
    address: (url) => byUrl.get(url)?.address ?? null,
    isRefused: (url) => byUrl.get(url)?.isRefused === true,
    document: (url) => nestedDocument(byUrl.get(url), textOf),
    sprite: (url) => {
      const file = byUrl.get(url);
      return file?.extension === "svg" ? textOf(file) : null;
    },
  });
}

function nestedText({ nested }: ReplayFile): string | null {
  if (nested === null) return null;
  return decodeHtml(nested.bytes, nested.contentType === "" ? null : nested.contentType).text;
}

function styleText({ bytes, contentType, baseUrl, files }: StyleTask): string {
  const addresses = new Map(files.map(({ url, address }) => [url, address]));
  return rewriteCss(decodeCss(Buffer.from(bytes), contentType), {
    baseUrl,
    address: (url) => addresses.get(url) ?? null,
  });
}

const plainTypes = /^(?:text\/(?:plain|css|javascript)|application\/(?:json|(?:x-)?javascript))\s*(?:;|$)/i;

/** Whether a document is one that browsers show as it is, letter by letter: a text, data, a script or a style sheet. */
export const isPlainText = (extension: string, contentType: string): boolean =>
  /^(?:txt|json|css)$/.test(extension) && plainTypes.test(contentType);

/** Returns the document that browsers make of a text. */
function ofPlainText(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  // a parser takes away the first line break of `pre`
  return `<!doctype html><body><pre style="overflow-wrap:break-word;white-space:pre-wrap">\n${escaped}</pre>`;
}

function nestedDocument(
  file: ReplayFile | undefined,
  textOf: (file: ReplayFile) => string | null,
): NestedDocument | null {
  if (file === undefined || file.address === null) return null;
  const html = textOf(file);
  if (file.extension === "html") return html === null ? null : { html, baseUrl: file.baseUrl };
  if (html !== null && isPlainText(file.extension, file.nested?.contentType ?? ""))
    return { markup: ofPlainText(html) };
  const isPicture = /^(?:png|jpg|gif|webp|avif|bmp|ico|svg)$/.test(file.extension);
  return isPicture
    ? {
        markup: `<!doctype html><body style="margin:0"><img src="${file.address.replaceAll("&", "&amp;")}" alt="">`,
      }
    : null;
}
