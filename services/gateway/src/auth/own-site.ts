import { AppError } from "@web-tester/contracts/errors";
import type { IncomingHttpHeaders } from "node:http";

/** The parts of a request that are checked. `path`: without its query. */
export interface FetchedRequest {
  method?: string | undefined;
  path?: string;
  headers: IncomingHttpHeaders;
}

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const belowApi = /^\/+api(\/|$)/i;

/**
 * What another site's page may ask for below `/api`, and as what (`Sec-Fetch-Dest`). A replayed page has an opaque origin, so browsers
 * report everything it loads as coming from another site; it loads only files, and never by scripts. Pages and the API's description
 * may be opened by a link in a mail or a chat, which neither frames nor reads them.
 */
const open: readonly { path: RegExp; as: ReadonlySet<string> }[] = [
  { path: /^\/api\/assets\/[^/]+$/, as: new Set(["image", "style", "font", "audio", "video", "document"]) },
  { path: /^\/api\/testsnapshots\/[^/]+\/render$/, as: new Set(["document"]) },
  { path: /^\/api\/docs$/, as: new Set(["document"]) },
];

/**
 * Refuses requests that, as the browser says, another site's page sent (Fetch Metadata: `Sec-Fetch-Site`). A page may load any address
 * of this machine as a picture, a frame or a script, without reading the answer, and without a token nothing else tells such a request
 * from the product's own. Programs do not send the header, nor do browsers over plain http to hosts other than this machine.
 * @param sameSite whether pages on other ports and subdomains of the product's site may ask
 * @throws AppError forbidden_origin
 */
export function requireOwnSite(
  { method = "GET", path = "", headers }: FetchedRequest,
  sameSite: "refuse" | "allow",
): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return;
  if (site === "same-site" && sameSite === "allow") return;
  const isReading = readingMethods.has(method);
  if (isReading && !belowApi.test(path)) return;
  const as = String(headers["sec-fetch-dest"]);
  if (isReading && open.some((way) => way.path.test(path) && way.as.has(as))) return;
  throw new AppError(
    "forbidden_origin",
    "According to your browser, a page of another site sent this request. Such pages cannot use this server: open the address from the product's own pages, type it into the address bar, or request it from a program.",
  );
}
