import { AppError } from "@web-tester/contracts/errors";
import type { IncomingHttpHeaders } from "node:http";

/** What is looked at of a request. `path`: without its query. */
export interface FetchedRequest {
  method?: string | undefined;
  path?: string;
  headers: IncomingHttpHeaders;
}

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const belowApi = /^\/+api(\/|$)/i;

/**
 * What another site's page may ask for below `/api`, and as what (`Sec-Fetch-Dest`). A replayed page is of no origin, so that a
 * browser says of all it loads that another site asks for it; what it loads are files, and never by scripts. Pages, and the API's
 * description, may be opened by a link in a mail or a chat, which frames nothing and reads nothing.
 */
const open: readonly { path: RegExp; as: ReadonlySet<string> }[] = [
  { path: /^\/api\/assets\/[^/]+$/, as: new Set(["image", "style", "font", "audio", "video", "document"]) },
  { path: /^\/api\/testsnapshots\/[^/]+\/render$/, as: new Set(["document"]) },
  { path: /^\/api\/docs$/, as: new Set(["document"]) },
];

/**
 * Refuses what a browser says another site's page has asked for (Fetch Metadata: `Sec-Fetch-Site`). A page may ask for any address
 * of this machine as a picture, a frame or a script, without reading the answer, and without a token there is nothing else that
 * tells such a request from ours. Programs do not send the header, nor do browsers over plain http to other hosts than this machine.
 * @param sameSite whether pages of other ports and subdomains of ours may ask
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
    "Your browser says that a page of another site asked for this. Such pages may not use this server: open the address from the product's own pages, type it into the address bar, or ask for it from a program.",
  );
}
