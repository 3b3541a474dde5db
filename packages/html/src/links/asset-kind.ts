/**
 * The purpose that a page needs an asset for. Only stylesheets and documents are searched for further assets; a sprite is
 * an SVG file that a `use` element takes a part of. A script is listed, and never shown.
 */
export type AssetKind = "stylesheet" | "document" | "sprite" | "image" | "font" | "media" | "icon" | "script";

/** A reference to another file, as an absolute address. */
interface Reference {
  /** http: or https:, without fragment and without user name and password. */
  url: string;
  /** With its `#`, empty where there is none. */
  fragment: string;
}

/** A reference as written; what cannot be fetched is a local fragment, data, or no address at all. */
export type Written = Reference | "local" | "data" | "none";

/**
 * Reads an address as written in a page or stylesheet.
 * @param baseUrl the absolute address that relative ones are resolved against
 */
export function readReference(written: string, baseUrl: string): Written {
  const text = written.trim();
  if (text === "") return "none";
  if (text.startsWith("#")) return "local";
  if (/^data:/i.test(text)) return "data";
  const url = URL.parse(text, baseUrl);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return "none";
  const fragment = url.hash;
  url.hash = "";
  url.username = "";
  url.password = "";
  return { url: url.href, fragment };
}

/** The longest path of a base: addresses below a longer one cannot be requested anyway. */
const basePathMaxChars = 2_000;

/**
 * Returns the address that relative ones are resolved against, with the beginning of its path where that is too long: each address of a
 * page would become as long as a base of a megabyte.
 */
export function boundedBase(baseUrl: string): string {
  const base = baseUrl.length > basePathMaxChars ? URL.parse(baseUrl) : null;
  if (base === null || !/^https?:$/.test(base.protocol)) return baseUrl;
  const { origin, pathname } = base;
  return pathname.length > basePathMaxChars
    ? `${origin}${pathname.slice(0, basePathMaxChars)}/`
    : `${origin}${pathname}`;
}
