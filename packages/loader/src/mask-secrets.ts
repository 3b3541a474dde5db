import type { Loader, PageRequest, PageResult } from "./page-result.js";
import type { HeaderRecord } from "./response-headers.js";
import type { SessionState } from "./session-state.js";

/** What stands in place of a secret. */
const mask = "***";
/** Shorter texts stand in addresses by chance, and are no secrets. */
const secretMinChars = 8;
/** The most secrets of one request: more cookies than browsers keep for a site. */
const secretsMax = 200;

/** Returns a text without the secrets. */
export type SecretMask = (text: string) => string;

type Secrets = Pick<PageRequest, "url" | "authorization"> & { session?: SessionState | null };

/**
 * Returns a function that masks what only the product and the site know: the credentials, request headers and cookies that a
 * request is made with. A server may repeat them in the address of a redirect or in a header, which many people see. They are found as
 * they are and percent-encoded, also twice. What the requested address contains itself is no secret.
 * @returns null where the request is made with no secret
 */
export function secretMask({ url, authorization, session }: Secrets): SecretMask | null {
  const sent = Object.entries(authorization?.headers ?? {}).flatMap(([name, value]) => secretsOf(name, value));
  const kept = (session?.cookies ?? []).flatMap(({ value }) => (isTokenLike(value) ? [value] : []));
  const secrets = [...sent, ...kept].filter((secret) => secret.length >= secretMinChars && !url.includes(secret));
  return secrets.length === 0 ? null : maskOf(secrets);
}

/** Returns a function that masks these texts, which are not empty. */
export function maskOf(secrets: readonly string[]): SecretMask {
  if (secrets.length === 0) return (text) => text;
  // a longer secret may contain a shorter one
  const longestFirst = [...new Set(secrets)].toSorted((one, other) => other.length - one.length).slice(0, secretsMax);
  const pattern = new RegExp(longestFirst.map(patternOf).join("|"), "g");
  return (text) => text.replace(pattern, mask);
}

function secretsOf(name: string, value: string): string[] {
  switch (name.toLowerCase()) {
    case "authorization": {
      const credentials = value.replace(/^\S+\s+/, "");
      return [value, credentials, ...(/^basic\s/i.test(value) ? passwordOf(credentials) : [])];
    }
    case "cookie":
      return value.split(";").flatMap((pair) => {
        const text = pair.slice(pair.indexOf("=") + 1).trim();
        return isTokenLike(text) ? [text] : [];
      });
    default:
      return isTokenLike(value) ? [value] : [];
  }
}

function passwordOf(credentials: string): string[] {
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  const password = pair.slice(colon + 1);
  return colon === -1 || isWord.test(password) ? [] : [password];
}

/** Matches what may as well be a word of an address: a site whose password is `password` has a page `/forgot-password`. */
const isWord = /^[\p{L}_-]+$/u;

/** Whether a value is a token, and no word, list or address (`production`, `text/html`, `https://site.example/`). */
const isTokenLike = (value: string): boolean => /\d/.test(value) && /[a-z]/i.test(value) && !/:\/\/|[\s,]/.test(value);

/** Matches a secret whichever of its characters are percent-encoded. No two alternatives of a character begin alike, so that matching never tries one text in many ways. */
function patternOf(secret: string): string {
  return [...secret]
    .map((char) => {
      const bytes = [...Buffer.from(char, "utf8")];
      const encoded = bytes.map((byte) => `%(?:25)*${hexPattern(byte)}`).join("");
      // headers are read as Latin-1
      const raw = Buffer.from(bytes).toString("latin1");
      const forms = new Set([char, raw].map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)));
      return `(?:${[...forms, encoded, ...(char === " " ? [String.raw`\+`] : [])].join("|")})`;
    })
    .join("");
}

function hexPattern(byte: number): string {
  const hex = byte.toString(16).padStart(2, "0");
  return [...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join("");
}

/**
 * Makes a loader whose results contain no secret of their request in addresses, headers and messages. The body stays as the
 * server sent it.
 */
export function maskSecrets<Request extends Secrets>(loader: {
  loadPage(request: Request, signal: AbortSignal): Promise<PageResult>;
}): { loadPage(request: Request, signal: AbortSignal): ReturnType<Loader["loadPage"]> } {
  return {
    async loadPage(request, signal) {
      const hide = secretMask(request);
      const result = await loader.loadPage(request, signal);
      return hide === null ? result : maskResult(result, hide);
    },
  };
}

function maskResult(result: PageResult, hide: SecretMask): PageResult {
  const trace = {
    finalUrl: hide(result.finalUrl),
    redirects: result.redirects.map(({ url, status }) => ({ url: hide(url), status })),
    headers: maskHeaders(result.headers, hide),
  };
  switch (result.kind) {
    case "page":
      return { ...result, ...trace, warning: result.warning === null ? null : hide(result.warning) };
    case "failed":
      return { ...result, ...trace, message: hide(result.message) };
    case "not-html":
    case "not-modified":
      return { ...result, ...trace };
  }
}

function maskHeaders(headers: HeaderRecord, hide: SecretMask): HeaderRecord {
  const hidden = Object.entries(headers).map(([name, value]): [string, string | string[]] => [
    name,
    typeof value === "string" ? hide(value) : value.map(hide),
  ]);
  return Object.fromEntries(hidden);
}
