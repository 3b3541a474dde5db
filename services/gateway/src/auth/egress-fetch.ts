import { buffer } from "node:stream/consumers";
import { AppError } from "@web-tester/contracts/errors";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import type { Egress } from "@web-tester/platform/egress/egress";
import type { CustomFetch } from "openid-client";

/** The most bytes that a provider's answer (document, key set or token) may have. */
const bodyMaxBytes = 1024 * 1024;
const deadlineMs = 15_000;

/**
 * Returns a `fetch` for libraries that goes through the product's egress. Redirects are returned, not followed.
 * @param named the address in the settings: naming it there is the consent to its host and port, where that is private
 */
export function egressFetch(egress: Egress, named: URL): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await egress.request({
      url: new URL(url),
      method,
      headers,
      ...bodyOf(body),
      consent: consentFor(named),
      deadlineMs,
      ...(signal === undefined ? {} : { signal }),
    });
    let bytes = 0;
    answer.body.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > bodyMaxBytes) answer.body.destroy(new AppError("too_large", "The provider's answer is too large."));
    });
    const read = await buffer(answer.body);
    const hasNone = answer.status === 204 || answer.status === 304;
    return new Response(hasNone ? null : new Uint8Array(read), { status: answer.status, headers: answer.headers });
  };
}

function bodyOf(body: unknown): { body?: string | Buffer } {
  if (body === undefined || body === null) return {};
  if (typeof body === "string" || body instanceof URLSearchParams) return { body: body.toString() };
  if (body instanceof Uint8Array) return { body: Buffer.from(body) };
  throw new TypeError("A body of this kind is not sent");
}
