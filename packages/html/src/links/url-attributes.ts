/**
 * Attributes that may contain scripts, fetch, navigate, or have a meaning for the page's own origin only: none of them is kept.
 */
const neverKept = new Set([
  "action",
  "allow",
  "archive",
  "attributionsrc",
  "autofocus",
  "classid",
  "codebase",
  "crossorigin",
  "csp",
  "download",
  "dynsrc",
  "formaction",
  "integrity",
  "longdesc",
  "lowsrc",
  "manifest",
  "nonce",
  "ping",
  "profile",
  "srcdoc",
  "usemap-src",
  "xml:base",
]);

/** Whether an attribute is removed from every element: event handlers and the attributes above. */
export function isNeverKept(name: string): boolean {
  return name.startsWith("on") || neverKept.has(name);
}

/** Attributes whose value some browser has ever run as a script address. */
const addresses = new Set([
  "href",
  "xlink:href",
  "src",
  "data",
  "poster",
  "background",
  "cite",
  "to",
  "from",
  "by",
  "values",
]);

/** Whether an attribute is an address whose value would run as a script, or be a document of its own. */
export function isScriptAddress(name: string, value: string): boolean {
  if (!addresses.has(name)) return false;
  const text = value.replaceAll(/[\0-\x20]+/g, "").toLowerCase();
  return (
    /(?:^|;)(?:javascript|vbscript|livescript|mocha):/.test(text) ||
    /^data:(?:text\/html|application\/(?:xhtml|xml)|text\/xml)/.test(text)
  );
}

/** Presentation attributes of SVG that may name a file. */
export const svgPaint = new Set([
  "clip-path",
  "cursor",
  "fill",
  "filter",
  "marker",
  "marker-end",
  "marker-mid",
  "marker-start",
  "mask",
  "stroke",
]);
