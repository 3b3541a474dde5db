import { STATUS_CODES } from "node:http";
import { sniffCharset } from "@web-tester/html/charset/decode";
import { cssCharset } from "@web-tester/html/charset/decode-css";
import type { Request, Response } from "playwright-core";
import { budgets } from "@web-tester/contracts/limits";
import { createSlots } from "@web-tester/platform/bus/slots";
import type { ProxyListener } from "@web-tester/platform/egress/proxy-listener";
import { portOf } from "@web-tester/platform/egress/address-policy";
import { isShownThough } from "../http-status.js";
import type { LoadedResource, ResourceListener } from "../page-result.js";
import type { EndedRequest } from "./page-traffic.js";

const bodiesAtOnce = 2;
/** The kinds of files that a page is shown with; the bodies of what scripts load for themselves stay in the browser. */
const shown = new Set(["stylesheet", "image", "media", "font", "document", "script"]);

/** Passes what a page loaded to a listener, two bodies at a time. `done` resolves when all were passed on. */
export function captureResources(
  listener: ResourceListener,
  proxyListener: ProxyListener,
  wantsScript: (url: string) => boolean,
): { ended: EndedRequest; done(): Promise<void> } {
  const slots = createSlots(bodiesAtOnce);
  const working = new Set<Promise<void>>();

  async function handOver(request: Request, response: Response | null): Promise<void> {
    const release = await slots.take();
    try {
      const isWanted = request.resourceType() !== "script" || wantsScript(request.url());
      if (isWanted) await listener(await read(request, response, proxyListener));
    } catch {
      // errors of the listener are its own concern
    } finally {
      release();
    }
  }

  return {
    ended(request, response) {
      if (!/^https?:/.test(request.url())) return;
      const work = handOver(request, response).finally(() => working.delete(work));
      working.add(work);
    },
    async done() {
      while (working.size > 0) await Promise.all(working);
    },
  };
}

async function read(
  request: Request,
  response: Response | null,
  proxyListener: ProxyListener,
): Promise<LoadedResource> {
  const known = {
    url: firstOf(request).url(),
    finalUrl: request.url(),
    wantedAs: request.resourceType(),
    status: response?.status() ?? null,
    contentType: response?.headers()["content-type"] ?? null,
  };
  const missing = (error: string): LoadedResource => ({ ...known, body: null, error });
  const failure = request.failure();
  if (response === null || failure !== null)
    return missing(whyNot(request, failure?.errorText ?? "no answer", proxyListener));
  const status = response.status();
  const isRefused = status < 200 || status > 299;
  const refusal = isRefused ? `The server answered ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd() + "." : null;
  if (refusal !== null && !isShownThough(status, known.wantedAs, known.contentType)) return missing(refusal);
  if (!shown.has(known.wantedAs)) return { ...known, body: null, error: null };
  const { responseBodySize } = await request.sizes().catch(() => ({ responseBodySize: 0 }));
  const tooLarge = `It has more than ${budgets.assetMaxBytes / 1024 ** 2} MiB, which is more than one file may have.`;
  if (responseBodySize > budgets.assetMaxBytes) return missing(tooLarge);
  const notKept = refusal ?? "The browser did not keep its bytes.";
  try {
    const body = await response.body();
    // Chromium drops the bytes of a picture that it cannot draw and returns none, without an error
    if (known.wantedAs === "image" && body.length === 0 && responseBodySize > 0) return missing(notKept);
    if (body.length > budgets.assetMaxBytes) return missing(tooLarge);
    return { ...known, contentType: labelOf(known, body), body, error: refusal };
  } catch {
    return missing(notKept);
  }
}

/**
 * Of stylesheets, scripts and documents Chromium gives the text that it read, in UTF-8. A label of another charset, wherever it stands, is of bytes that
 * nobody has any more.
 */
function labelOf({ wantedAs, contentType }: Pick<LoadedResource, "wantedAs" | "contentType">, text: Buffer) {
  if (wantedAs !== "document" && wantedAs !== "stylesheet" && wantedAs !== "script") return contentType;
  const charset =
    wantedAs === "document" ? sniffCharset(text, contentType).charset : cssCharset(text, contentType ?? "");
  const usual = wantedAs === "document" ? "text/html" : wantedAs === "script" ? "text/javascript" : "text/css";
  return charset === "utf-8" ? contentType : `${contentType?.split(";", 1)[0]?.trim() || usual}; charset=utf-8`;
}

function firstOf(request: Request): Request {
  let first = request;
  for (let before = first.redirectedFrom(); before !== null; before = first.redirectedFrom()) first = before;
  return first;
}

/** Says why a request failed: by the proxy's error, which knows best, else by the browser's. */
function whyNot(request: Request, errorText: string, proxyListener: ProxyListener): string {
  const url = URL.parse(request.url());
  const refused = url === null ? null : proxyListener.failureOf(url.hostname, portOf(url));
  return refused?.message ?? `The browser could not load it (${errorText.replace(/^net::/, "")}).`;
}
