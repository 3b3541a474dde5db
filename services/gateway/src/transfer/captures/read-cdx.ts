import { z } from "zod";
import { timeOfStamp } from "./time-of-record.js";

/** One line of an index of captures. */
export interface CdxLine {
  url: string;
  ms: number;
  stamp: string;
  status: number;
  contentType: string;
  /** SHA-1 of the payload, base32. */
  digest: string;
}

const described = z.object({
  url: z.string(),
  mime: z.string().default(""),
  status: z.coerce.number().int().catch(200),
  digest: z.string().default(""),
});

/**
 * Parses a line of a CDX file (9 or 11 fields, or the 7 of a CDX server) or of CDXJ.
 * @returns null for headers, and for lines in no such form
 */
export function readCdxLine(line: string): CdxLine | null {
  const [key = "", stamp = "", third = ""] = line.split(" ", 3);
  const ms = timeOfStamp(stamp);
  if (key === "" || key === "CDX" || ms === null) return null;
  if (third.startsWith("{")) {
    const parsed = described.safeParse(jsonOf(line.slice(line.indexOf("{"))));
    if (!parsed.success) return null;
    const { url, mime, status, digest } = parsed.data;
    return { url, ms, stamp, status, contentType: mime, digest: bare(digest) };
  }
  const [, , url = "", mime = "", status = "", digest = ""] = line.trim().split(/\s+/);
  return url === ""
    ? null
    : {
        url,
        ms,
        stamp,
        status: /^\d{3}$/.test(status) ? Number(status) : 0,
        contentType: mime === "-" ? "" : mime,
        digest: bare(digest),
      };
}

function bare(digest: string): string {
  return digest.replace(/^sha1:/i, "").toUpperCase();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
