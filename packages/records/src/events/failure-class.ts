/** The classes of failures that messages distinguish. */
type FailureClass = "dns" | "tls" | "timeout" | "connection" | "challenge" | "client" | "server" | "other";

const codes: Readonly<Partial<Record<string, FailureClass>>> = {
  dns_failed: "dns",
  tls_failed: "tls",
  timed_out: "timeout",
  connection_failed: "connection",
  protocol_error: "connection",
};

/**
 * Returns the class of a failure.
 * @param code the snapshot's error code
 * @param status HTTP status, null when there was no answer
 * @param isChallenge whether the answer is a challenge page of a bot protection (see `challengeHeaders`)
 */
function failureClass(code: string | null, status: number | null, isChallenge: boolean): FailureClass {
  const named = code === null ? undefined : codes[code];
  if (named !== undefined) return named;
  if (isChallenge) return "challenge";
  if (status === null) return "other";
  return status >= 500 ? "server" : status >= 400 ? "client" : "other";
}

/** Headers by which bot protection services mark an answer as a challenge instead of the page. */
export const challengeHeaders: readonly string[] = [
  "cf-mitigated",
  "x-amzn-waf-action",
  "x-datadome",
  "x-sucuri-block",
  "x-px-block",
];

const words: Readonly<Record<FailureClass, string>> = {
  dns: "host name not found",
  tls: "TLS error",
  timeout: "no answer in time",
  connection: "no connection",
  challenge: "blocked by a challenge page",
  client: "",
  server: "",
  other: "fetch failed",
};

/** Words for other failures by error code; readers of a message have not seen the snapshot. */
const otherWords: Readonly<Partial<Record<string, string>>> = {
  address_refused: "address not allowed",
  body_cut_off: "connection closed too early",
  too_many_redirects: "too many redirects",
  redirect_invalid: "invalid redirect",
  out_of_scope: "leads to another site",
  too_large: "page too large",
  encoding_unsupported: "answer cannot be decompressed",
  encoding_broken: "answer cannot be decompressed",
  not_html: "not an HTML page",
  empty_document: "empty page",
  navigation_failed: "the browser could not open it",
  reload_loop: "endless reloading",
  login_failed: "sign-in failed",
  not_ready: "page never became ready",
  browser_unavailable: "no browser available",
  browser_crashed: "browser crashed",
};

/** Returns words for a failure, such as `HTTP 503` or `no answer in time`. */
export function failureWords(code: string | null, status: number | null, isChallenge: boolean): string {
  const kind = failureClass(code, status, isChallenge);
  const said = (kind === "other" && code !== null ? otherWords[code] : undefined) ?? words[kind];
  const number = status === null || status < 400 ? "" : `HTTP ${status}`;
  return [number, said].filter((part) => part !== "").join(", ");
}

/** Formats a duration in its two largest units: `3 h 12 min`. @param ms milliseconds */
export function lasted(ms: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1_000],
  ] as const;
  const first = units.findIndex(([, size]) => ms >= size);
  if (first === -1) return "less than a second";
  let rest = ms;
  return units
    .slice(first, first + 2)
    .map(([unit, size]) => {
      const whole = Math.floor(rest / size);
      rest -= whole * size;
      return whole === 0 ? "" : `${whole} ${unit}`;
    })
    .filter((part) => part !== "")
    .join(" ");
}
