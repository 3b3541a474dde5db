import { isUtf8 } from "node:buffer";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { nameUrl } from "./name-url.js";
import type { RedirectHop } from "./page-result.js";

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/**
 * Returns the target of a redirect. `hops`: the redirects so far, this one included.
 * @throws AppError redirect_invalid, too_many_redirects (circles included), or out_of_scope with the reason of `check`.
 */
export function followRedirect(
  from: URL,
  location: string | null,
  hops: readonly RedirectHop[],
  check: ((target: URL) => string | null) | undefined,
): URL {
  const where = `${nameUrl(from)} redirects (${hops.at(-1)?.status ?? 0})`;
  const target = readTarget(from, location, where);
  if (target.username !== "" || target.password !== "") {
    throw new AppError(
      "redirect_invalid",
      `${where} to an address on ${target.host} that carries a user name or password. Such redirects are not followed.`,
    );
  }
  requireEnd(from, target, hops);
  const reason = check?.(target) ?? null;
  if (reason !== null)
    throw new AppError("out_of_scope", `${where} to ${nameUrl(target)}, which was not followed: ${reason}`);
  return target;
}

/** @throws AppError redirect_invalid where it is not an address that can be fetched */
function readTarget(from: URL, location: string | null, where: string): URL {
  if (location === null || location.trim() === "") {
    throw new AppError(
      "redirect_invalid",
      `${where} without saying where to: the Location header is missing or empty. This has to be fixed on the server.`,
    );
  }
  const text = readable(location);
  const target = URL.parse(text, from.href);
  if (target === null)
    throw new AppError(
      "redirect_invalid",
      `${where} to an invalid URL: “${text.slice(0, 100)}”. This has to be fixed on the server.`,
    );
  target.hash = "";
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    throw new AppError(
      "redirect_invalid",
      `${where} to an address that starts with ${target.protocol.slice(0, 30)}. Only http: and https: are followed.`,
    );
  }
  return target;
}

/**
 * Re-decodes a Location header as UTF-8: servers send raw bytes where they should percent-encode, and headers were read as
 * Latin-1. Bytes that are not UTF-8 are percent-encoded as they are, as in browsers.
 */
function readable(location: string): string {
  const bytes = Buffer.from(location, "latin1");
  if (isUtf8(bytes)) return bytes.toString("utf8");
  return location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** @throws AppError too_many_redirects */
function requireEnd(from: URL, target: URL, hops: readonly RedirectHop[]): void {
  const circleStart = hops.findIndex(({ url }) => url === target.href);
  if (circleStart !== -1) {
    const circle = [...hops.slice(circleStart), { url: target.href }].map(({ url }) => nameUrl(new URL(url)));
    throw new AppError(
      "too_many_redirects",
      `The redirects form a loop: ${abbreviate(circle).join(" → ")}. This has to be fixed on the server; some sites do this to visitors without cookies.`,
    );
  }
  if (hops.length > budgets.redirectsMax) {
    throw new AppError(
      "too_many_redirects",
      `${nameUrl(new URL(hops[0]?.url ?? from.href))} was redirected more than ${budgets.redirectsMax} times, lastly to ${nameUrl(target)}. Register the address where the page really is.`,
    );
  }
}

function abbreviate(steps: string[]): string[] {
  return steps.length <= 5 ? steps : [...steps.slice(0, 3), "…", ...steps.slice(-1)];
}
