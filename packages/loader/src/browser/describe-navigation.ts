import { AppError, type ErrorCode } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";

/** Patterns of Chromium's names for what stops a navigation, with their meaning here; the first that matches counts. */
const meanings: [RegExp, ErrorCode, string][] = [
  [/CLIENT_AUTH/, "tls_failed", "asks its visitors for a TLS certificate, and none can be sent"],
  [/CERT/, "tls_failed", "has an invalid TLS certificate. It has to be renewed or corrected"],
  [
    /SSL|TLS/,
    "tls_failed",
    "makes no secure connection that the browser accepts. Check that this port serves https, with TLS 1.2 or 1.3, and by HTTP/1.1",
  ],
  [/NAME_NOT_RESOLVED|DNS/, "dns_failed", "could not be found. Check the spelling of the URL"],
  [/TOO_MANY_REDIRECTS/, "too_many_redirects", "redirects endlessly. Register the address where the page really is"],
  [/UNSAFE_REDIRECT|INVALID_REDIRECT/, "redirect_invalid", "redirects to an address that is not allowed"],
  [/UNSAFE_PORT/, "address_refused", "uses a port that browsers block. Serve the page on another one"],
  [/HEADERS_TOO_BIG/, "too_large", `sent more headers than are read (${budgets.headersMaxBytes / 1024} KiB)`],
  [/DECODING/, "encoding_broken", "sent a page with broken compression. This has to be fixed on the server"],
  [/TIMED_OUT/, "timed_out", "did not answer in time. Try again; if it happens every time, the server is too slow"],
  [/INVALID|HTTP|CONTENT_LENGTH|CHUNKED/, "protocol_error", "sent an answer that cannot be read"],
  [
    /CONNECTION|EMPTY_RESPONSE|TUNNEL|PROXY|ADDRESS|SOCKET|NETWORK|INTERNET/,
    "connection_failed",
    "could not be reached. Check that the server runs, and try again",
  ],
];

/** Returns Chromium's error name in an error of Playwright, for example ERR_ABORTED; null where it has none. */
export function netErrorOf(error: unknown): string | null {
  const message = error instanceof Error ? error.message : "";
  if (message.includes("Download is starting")) return "ERR_ABORTED";
  return /net::(ERR_[A-Z0-9_]+)/.exec(message)?.[1] ?? null;
}

/** Returns the error for a navigation that Chromium gave up. */
export function describeNavigation(netError: string, host: string, cause: unknown): AppError {
  const [, code, words] = meanings.find(([pattern]) => pattern.test(netError)) ?? [
    null,
    "protocol_error" as const,
    "did not give a page",
  ];
  return new AppError(code, `The server ${host} ${words} (${netError.replace(/^ERR_/, "")}).`, { cause });
}
