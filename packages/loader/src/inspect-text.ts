import { isUtf8 } from "node:buffer";
import type { ContentKind } from "./content-type.js";

/** STAND-IN until packages/html has decodeHtml and looksBinary. */
export function inspectText(bytes: Buffer, contentType: string | null, kind: ContentKind): { charset: string | null; warning: string | null } {
  if (kind === "other") return { charset: null, warning: null };
  if (bytes.subarray(0, 1024).includes(0)) return { charset: null, warning: null };
  const label = /charset=["']?([\w-]+)/i.exec(contentType ?? "")?.[1]?.toLowerCase() ?? "utf-8";
  const warning = label === "utf-8" && !isUtf8(bytes) ? "wrong label" : null;
  return { charset: label, warning };
}
