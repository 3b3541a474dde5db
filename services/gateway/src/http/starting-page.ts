import type { ErrorBody } from "@web-tester/contracts/entities/error-body";
import { errorCodes } from "@web-tester/contracts/errors";
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { appHeaders } from "./security-headers.js";
import { isNavigation } from "./web-app.js";

/** What a gateway waits for before it serves. */
type AwaitedPart = "database" | "bus";

const retryAfterSeconds = 5;

/**
 * Answers a request to a gateway that does not serve yet: a page in words for a person, which opens what was asked for once it can, and
 * a refusal that programs repeat for everybody else.
 */
export function answerWhileStarting(request: IncomingMessage, response: ServerResponse, part: AwaitedPart): void {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const isForPerson = isNavigation(request.method ?? "", path, request.headers.accept ?? "");
  const body = isForPerson ? pageFor(part, request.headers["accept-language"] ?? "") : JSON.stringify(refusalFor(part));
  response
    .writeHead(errorCodes.unavailable.http, {
      ...appHeaders,
      ...(isForPerson ? { "Content-Security-Policy": pagePolicy } : {}),
      "Content-Type": isForPerson ? "text/html; charset=utf-8" : "application/json",
      "Cache-Control": "no-store",
      "Retry-After": retryAfterSeconds,
    })
    .end(request.method === "HEAD" ? undefined : body);
}

const refusalFor = (part: AwaitedPart): ErrorBody => ({
  status: errorCodes.unavailable.http,
  code: "unavailable",
  message: `Web Tester is starting: ${english[part]} Try again in a few seconds.`,
});

const english: Record<AwaitedPart, string> = {
  database: "it waits for its database.",
  bus: "it waits for its message bus.",
};

interface PageWords extends Record<AwaitedPart, string> {
  lang: string;
  title: string;
  hint: string;
}

const englishWords: PageWords = {
  lang: "en",
  title: "Web Tester is starting",
  database: "It waits for its database, which is starting, recovering or not reachable.",
  bus: "It waits for its message bus, which is starting or not reachable.",
  hint: "This page goes on by itself as soon as it can. Nothing is lost.",
};
const germanWords: PageWords = {
  lang: "de",
  title: "Web Tester startet",
  database: "Es wird auf die Datenbank gewartet: Sie startet, wird wiederhergestellt oder ist nicht erreichbar.",
  bus: "Es wird auf den Nachrichtendienst gewartet: Er startet oder ist nicht erreichbar.",
  hint: "Diese Seite geht von selbst weiter, sobald es möglich ist. Nichts geht verloren.",
};

/** The words in the first of the browser's languages that there are any in, else in English. */
function wordsFor(acceptLanguage: string): PageWords {
  const wanted = acceptLanguage.split(",").map((tag) => tag.trim().slice(0, 2).toLowerCase());
  const first = wanted.find((tag) => tag === "en" || tag === "de");
  return first === "de" ? germanWords : englishWords;
}

/** Asks until the gateway is ready: a plain reload would end at the browser's own page if it came just between the two servers. */
const script = `setInterval(() => fetch("/readyz").then((answer) => answer.ok && location.reload(), () => undefined), 2000);`;
const style = `:root { color-scheme: light dark } body { font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em }`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const pagePolicy = [
  "default-src 'none'",
  "img-src data:",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function pageFor(part: AwaitedPart, acceptLanguage: string): string {
  const words = wordsFor(acceptLanguage);
  return `<!doctype html><html lang="${words.lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words.title}</title><link rel="icon" href="data:,"><noscript><meta http-equiv="refresh" content="${retryAfterSeconds}"></noscript><style>${style}</style></head>
<body><main role="status"><h1>${words.title}</h1><p>${words[part]}</p><p>${words.hint}</p></main><script>${script}</script></body></html>
`;
}
