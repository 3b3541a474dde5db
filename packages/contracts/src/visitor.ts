import { z } from "zod";
import { keptScripts, type KeptScripts } from "./entities/vocabulary.js";

/** How an object's pages are visited. Texts and lists are empty when nothing was chosen. */
export interface SiteVisit {
  userAgent: string;
  language: string;
  timeZone: string;
  viewport: string;
  dismissSelectors: string[];
  blockList: string[];
  /** Lines of headers for the object's own origin, encrypted, in hex; null when there are none. */
  headersSealed: string | null;
  /** Whether the site needs a login. */
  signsIn: boolean;
}

/** The settings with which a snapshot was taken that affect how it is shown and compared; those not chosen are absent. */
export const takenWithSchema = z
  .object({
    viewport: z.string().refine((text) => readViewport(text) !== null, "is not a window size such as 1280x900"),
    language: z.string().refine(isLanguage, "is not a language code such as de-DE"),
    timeZone: z.string().refine(isTimeZone, "is not a time zone such as Europe/Berlin"),
    scripts: keptScripts.exclude(["none"]).describe("Which scripts were looked for; left out where none were"),
  })
  .partial()
  .meta({ id: "TakenWith" });
export type TakenWith = z.infer<typeof takenWithSchema>;

/** Returns the settings to store with a snapshot. @param scripts which scripts are kept with the page's files; null when no files are kept */
export function takenWith(
  { viewport, language, timeZone }: Pick<SiteVisit, "viewport" | "language" | "timeZone">,
  scripts: KeptScripts | null,
): TakenWith {
  const chosen = Object.entries({ viewport, language, timeZone }).filter(([, value]) => value.trim() !== "");
  return { ...Object.fromEntries(chosen), ...(scripts === null || scripts === "none" ? {} : { scripts }) };
}

/** A browser's window. */
export interface Viewport {
  /** Width and height in CSS pixels. */
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  scale: number;
  isMobile: boolean;
}

/** The window for pages whose object chose none. */
export const usualWindow: Viewport = { width: 1280, height: 900, scale: 1, isMobile: false };

/** Parses `1280x900`, `390x844@3` or `390x844@3 mobile`. @returns null for anything else */
export function readViewport(text: string): Viewport | null {
  const match = /^(\d{3,4})\s*[x×]\s*(\d{3,4})(?:@(\d(?:\.\d{1,2})?))?(\s+mobile)?$/i.exec(text.trim());
  if (match === null) return null;
  const [width, height, scale] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 1)];
  const isSize = (length: number) => length >= 200 && length <= 4_000;
  if (!isSize(width) || !isSize(height) || scale < 0.5 || scale > 4) return null;
  return { width, height, scale, isMobile: match[4] !== undefined };
}

/** Whether a text is a language tag as browsers use it (BCP 47). */
export function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** Whether a text is the IANA name of a time zone. */
export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    // Intl accepts offsets as zones, but browsers do not
    return !/^[+-]/.test(text);
  } catch {
    return false;
  }
}

/** RFC 9110 §5.6.2 token. */
const headerToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible ASCII, space, tab and obs-text (RFC 9110 §5.5). */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that the HTTP client sets itself; another value would break the request. */
const notOwn = new Set([
  "host",
  "content-length",
  "connection",
  "transfer-encoding",
  "te",
  "upgrade",
  "accept-encoding",
]);

/** Returns in words why a line is no header that may be sent; null when it is one. */
export function headerFault(line: string): string | null {
  const colon = line.indexOf(":");
  if (colon < 1 || !headerToken.test(line.slice(0, colon)) || !isHeaderValue(line.slice(colon + 1)))
    return "Enter a header as Name: value, with ASCII characters only";
  return headerNameFault(headerName(line));
}

/** Returns in words why a header of this name may not be sent; null when it may. */
export function headerNameFault(name: string): string | null {
  if (!headerToken.test(name)) return "Enter a header name such as X-Token, without a colon";
  const known = name.toLowerCase();
  if (notOwn.has(known) || known.startsWith("proxy-"))
    return `You cannot set the header ${known}: the product sets it itself`;
  return null;
}

export const isHeaderValue = (text: string): boolean => headerText.test(text);

export function headerName(line: string): string {
  return line.slice(0, line.indexOf(":"));
}

/** The encryption context of an object's request headers. */
export const headersContext = (objectId: string): string => `${objectId} request headers`;
