/** Attributes that may carry scripts, fetch, navigate, or mean something to the page's own origin only: none of them is kept. */
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

/** Whether an attribute goes, whatever element it is on: event handlers and those above. */
export function isNeverKept(name: string): boolean {
  return name.startsWith("on") || neverKept.has(name);
}

/** Attributes whose text some browser has taken for a script's address. */
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

/** Whether a value would run as a script, or be a document of its own, where its attribute is an address. */
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
