import type { PageResult } from "@web-tester/loader/page-result";
import type { PageReader } from "./page-reader.js";
import type { ScriptEffects } from "./script-effects.js";

/** What a page in a browser shows about its scripts. */
export interface ScriptsDid {
  /** Whether the scripts build the page. */
  builds: boolean;
  /** The words that the scripts add where they do not build the page; empty where they add none. */
  added: string;
}

/**
 * @param rendered a load that kept its source (`comparesSource`)
 * @returns null where the browser does not tell: it is missing, failed in a way that may pass, or was too slow to return
 * the server's source
 */
export async function whatScriptsDid(
  objectId: string,
  rendered: PageResult,
  reader: Pick<PageReader, "drawn">,
): Promise<ScriptsDid | null> {
  if (rendered.kind === "failed" && (rendered.retryable || rendered.code === "browser_unavailable")) return null;
  if (rendered.kind === "page" && rendered.source === undefined) return null;
  // a person would have been redirected to another page, or have seen none
  if (rendered.kind !== "page" || rendered.source == null) return { builds: true, added: "" };
  if (rendered.reveals === true) return { builds: true, added: "" };
  const { source: bytes, body } = rendered;
  const drew = await reader.drawn(objectId, { find: "drawn", bytes, drawn: body });
  return drew === null ? null : { builds: drew.isMuch, added: drew.added };
}

/**
 * Keeps what a page that a crawl rendered shows about its scripts, so that the fetch after it need not try again. Where
 * they add only a few words nothing is kept: the fetch has to render the page to report them.
 * @param rendered as for `whatScriptsDid`
 */
export async function noteWhatScriptsDid(
  objectId: string,
  rendered: PageResult,
  { reader, effects }: { reader: Pick<PageReader, "signs" | "drawn">; effects: Pick<ScriptEffects, "note"> },
): Promise<void> {
  if (rendered.kind !== "page" || rendered.source == null) return;
  const { source: bytes, contentType, finalUrl: baseUrl } = rendered;
  if (/^application\/xhtml\+xml/i.test(contentType ?? "")) return;
  const { isShell, scripts } = await reader.signs(objectId, { find: "signs", bytes, charset: "utf-8", baseUrl });
  if (isShell || scripts === null) return;
  const did = await whatScriptsDid(objectId, rendered, reader);
  if (did !== null && (did.builds || did.added === "")) await effects.note(objectId, scripts, did.builds);
}
