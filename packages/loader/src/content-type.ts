import { type HeaderRecord, lastHeader } from "./response-headers.js";

/** What a content type says about a body: `unknown` where it is missing, malformed or says nothing (MIME Sniffing §5.1). */
export type ContentKind = "html" | "other" | "unknown";

/** Reads the content type of a response: as the server wrote it, and what it means. */
export function readContentType(headers: HeaderRecord): { contentType: string | null; kind: ContentKind } {
  const contentType = lastHeader(headers, "content-type");
  const essence = (contentType ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";
  if (essence === "text/html" || essence === "application/xhtml+xml") return { contentType, kind: "html" };
  const isMeaningful =
    /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/.test(essence) &&
    !["*/*", "unknown/unknown", "application/unknown"].includes(essence);
  return { contentType, kind: isMeaningful ? "other" : "unknown" };
}

/** Whether a browser would save the body instead of showing it (RFC 6266 §4.2). */
export function isToBeSaved(headers: HeaderRecord): boolean {
  return /^\s*attachment\b/i.test(lastHeader(headers, "content-disposition") ?? "");
}
