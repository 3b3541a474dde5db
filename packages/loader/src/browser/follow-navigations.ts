import { AppError } from "@web-tester/contracts/errors";
import type { ProxyListener } from "@web-tester/platform/egress/proxy-listener";
import { portOf } from "@web-tester/platform/egress/address-policy";
import type { Request, Response } from "playwright-core";
import { nameUrl } from "../name-url.js";
import { describeNavigation } from "./describe-navigation.js";
import type { PageTraffic } from "./page-traffic.js";

/** The proxy listener, which knows why an address was not reached. */
type Failures = Pick<ProxyListener, "failureOf">;

/** The most documents that a page may navigate to by itself before it counts as never settling. */
const navigationsMax = 12;
/** A page that loads the same address more often than this is in a loop … */
const sameMax = 5;
/** … as is one that does so more often than this by the end of its time. */
const sameSlowlyMax = 2;

/** @throws AppError reload_loop or navigation_failed for a page that keeps navigating */
export function requireAdvancing(traffic: PageTraffic): void {
  const { steps, last, times } = stepsOf(traffic);
  if (times > sameMax) throw reloadLoop(last, times);
  if (steps > navigationsMax)
    throw new AppError(
      "navigation_failed",
      `The page redirected to other pages ${steps - 1} times, last to ${nameOf(last)}, and never stopped. Register the address where the page really is.`,
    );
}

/** The documents that a page asked for by itself; a redirect chain of the server counts as one step. */
function stepsOf({ documents }: PageTraffic): { steps: number; last: string; times: number } {
  const steps = documents
    .filter((request) => request.redirectedFrom() === null)
    .map((request) => withoutHash(request.url()));
  const last = steps.at(-1) ?? "";
  return { steps: steps.length, last, times: steps.filter((step) => step === last).length };
}

function reloadLoop(url: string, times: number): AppError {
  return new AppError(
    "reload_loop",
    `The page ${nameOf(url)} keeps reloading itself (${times} times). Some pages do this to visitors without cookies or without a login; otherwise it has to be fixed on the server.`,
  );
}

/**
 * Returns the response that produced what the main frame shows now.
 * @throws AppError navigation_failed where no server sent it: the browser's own error page, about:blank, something that
 * scripts made up, or where the page is navigating to another one
 */
export function answerOfShown(traffic: PageTraffic, proxyListener: Failures): Response {
  const { documents, shown } = traffic;
  const now = shown.at(-1);
  if (now?.unreachableUrl != null) throw unreachable(now.unreachableUrl, documents, proxyListener);
  const isSites = now !== undefined && /^https?:/.test(now.url);
  const request = !isSites ? undefined : documents.findLast((each) => withoutHash(each.url()) === withoutHash(now.url));
  const response = request?.existingResponse() ?? null;
  if (isLeaving(traffic)) throw stillOnTheWay(traffic);
  if (response !== null) return response;
  throw new AppError(
    "navigation_failed",
    `The page replaced itself with ${now === undefined ? "nothing" : nameOf(now.url)}, which no server answered. A person would have seen that instead of the page.`,
  );
}

/** Whether a document was requested that has neither been answered nor failed. */
export function isLeaving({ documents }: PageTraffic): boolean {
  const last = documents.at(-1);
  return last !== undefined && last.existingResponse() === null && last.failure() === null;
}

export function stillOnTheWay(traffic: PageTraffic): AppError {
  const { last, times } = stepsOf(traffic);
  if (times > sameSlowlyMax) return reloadLoop(last, times);
  return new AppError(
    "navigation_failed",
    `The page was still redirecting to ${nameOf(last)} when the time ran out. Try again; if it happens every time, that server is too slow.`,
  );
}

function unreachable(address: string, documents: readonly Request[], proxyListener: Failures): AppError {
  const url = URL.parse(address);
  const request = documents.findLast((each) => withoutHash(each.url()) === withoutHash(address));
  const refused = url === null ? null : proxyListener.failureOf(url.hostname, portOf(url));
  const netError = /net::(ERR_[A-Z0-9_]+)/.exec(request?.failure()?.errorText ?? "")?.[1] ?? "ERR_FAILED";
  const why = refused ?? describeNavigation(netError, url?.host ?? address, null);
  return new AppError(
    "navigation_failed",
    `The page led to ${nameOf(address)} by itself, where a person would have seen an error of the browser. ${why.message}`,
    { cause: why },
  );
}

function withoutHash(url: string): string {
  const at = url.indexOf("#");
  return at === -1 ? url : url.slice(0, at);
}

function nameOf(address: string): string {
  const url = URL.parse(address);
  return url === null || !/^https?:$/.test(url.protocol) ? `“${address.slice(0, 60)}”` : nameUrl(url);
}
