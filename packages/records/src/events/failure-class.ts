/** Why a page fails, as people tell failures apart. */
type FailureClass = "dns" | "tls" | "timeout" | "connection" | "challenge" | "client" | "server" | "other";

const codes: Readonly<Partial<Record<string, FailureClass>>> = {
  dns_failed: "dns",
  tls_failed: "tls",
  timed_out: "timeout",
  connection_failed: "connection",
  protocol_error: "connection",
};

/**
 * @param code the snapshot's error code
 * @param status HTTP status, null where none came
 * @param isChallenge whether the server asked who is visiting (see `challengeHeaders`)
 */
function failureClass(code: string | null, status: number | null, isChallenge: boolean): FailureClass {
  const named = code === null ? undefined : codes[code];
  if (named !== undefined) return named;
  if (isChallenge) return "challenge";
  if (status === null) return "other";
  return status >= 500 ? "server" : status >= 400 ? "client" : "other";
}

/** Headers by which services that keep programs away say that this is such an answer, not the page's. */
export const challengeHeaders: readonly string[] = [
  "cf-mitigated",
  "x-amzn-waf-action",
  "x-datadome",
  "x-sucuri-block",
  "x-px-block",
];

const words: Readonly<Record<FailureClass, string>> = {
  dns: "its name is not found",
  tls: "TLS fails",
  timeout: "no answer in time",
  connection: "no connection",
  challenge: "blocked by a challenge page",
  client: "",
  server: "",
  other: "it fails",
};

/** What to say of a failure, such as `HTTP 503` or `no answer in time`. */
export function failureWords(code: string | null, status: number | null, isChallenge: boolean): string {
  const said = words[failureClass(code, status, isChallenge)];
  const number = status === null || status < 400 ? "" : `HTTP ${status}`;
  return [number, said].filter((part) => part !== "").join(", ");
}

/** A time that something lasted, in its two largest units: `3 h 12 min`. @param ms milliseconds */
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
