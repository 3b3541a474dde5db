import { AppError } from "@web-tester/contracts/errors";
import type { Egress } from "@web-tester/platform/egress/egress";
import { z } from "zod";
import { type Sent, unreached } from "./sent.js";

export interface PostRequest {
  url: URL;
  body: string;
  headers: Record<string, string>;
}

const withoutPasswordWords =
  "The channel's address contains a user name or password, and no message is sent to such an address. Enter the address without them; what waits is sent then.";
const otherThanTakenWords =
  "It answers that it has something else for whoever asks, not that it took the message. Enter the address that takes messages.";
/** The statuses that lead to another address (RFC 9110 §15.4); 300 and 304 name none, so following them is no way out. */
const redirects: readonly number[] = [301, 302, 303, 307, 308];
const deadlineMs = 10_000;
const answerMax = 500;
const readMax = 64 * 1024;

/**
 * Sends a request to a receiver, through the guarded egress. Redirects are not followed, since a message for one address must not be
 * sent to another. Errors that may come from a server being set up again (4xx other than 410) are tried again.
 */
export async function sendPost(egress: Egress, request: PostRequest, signal: AbortSignal): Promise<Sent> {
  const { url, body, headers } = request;
  // such addresses are refused today where they are entered, but older channels have them
  if (url.username !== "" || url.password !== "") return { ok: false, status: null, answer: withoutPasswordWords };
  try {
    const answer = await egress.request({ url, method: "POST", headers, body, deadlineMs, signal });
    const { status } = answer;
    if (redirects.includes(status)) {
      answer.body.destroy();
      const words = "It redirects to another address, which is not followed. Enter the address that it redirects to.";
      // tried again, so that waiting messages are sent once somebody enters the right address within the three days
      return { ok: false, status, answer: words };
    }
    // the status decides, even if the rest of the answer does not arrive
    const said = await firstOf(answer.body).catch(() => "");
    const text = withoutSecrets(said, request);
    if (status >= 200 && status < 300) return { ok: true, status, answer: text };
    const words = text === "" && status < 400 ? otherThanTakenWords : text;
    return {
      ...{ ok: false, status, answer: words },
      ...(status === 410 ? { never: true, gone: true } : waitOf(answer.headers, said, new Date())),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return unreached(error, url.hostname);
  }
}

const secretMin = 6;

/** Replaces the request's secrets in an answer, because servers may echo what they got. */
function withoutSecrets(text: string, { url, headers }: PostRequest): string {
  const token = (headers["authorization"] ?? "").replace(/^Bearer /, "");
  const parts = [
    url.pathname + url.search,
    ...url.pathname.split("/"),
    ...url.searchParams.values(),
    url.password,
    token,
  ];
  const secrets = parts.flatMap((part) => [part, decoded(part)]).filter((part) => part.length >= secretMin);
  return secrets.toSorted((a, b) => b.length - a.length).reduce((all, secret) => all.replaceAll(secret, "…"), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads the beginning of an answer and drops the rest. */
async function firstOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const parts: Buffer[] = [];
  let read = 0;
  for await (const part of body) {
    parts.push(part);
    read += part.length;
    if (read >= readMax) break;
  }
  body.destroy();
  return Buffer.concat(parts)
    .toString("utf8")
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, answerMax);
}

const dayMs = 24 * 3_600_000;

/**
 * How long the receiver asks to wait: a number of seconds, or until a time (RFC 9110 §10.2.3). Telegram and Discord write the seconds
 * into the body.
 */
function waitOf(headers: readonly [string, string][], said: string, now: Date): { waitMs?: number } {
  const given = headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? "";
  const waits = [
    /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - now.getTime(),
    secondsIn(said) * 1_000,
  ].filter((ms) => ms > 0);
  return waits.length > 0 ? { waitMs: Math.min(Math.max(...waits), dayMs) } : {};
}

const told = z.object({
  retry_after: z.number().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});

function secondsIn(said: string): number {
  try {
    const parsed = told.safeParse(JSON.parse(said));
    return parsed.data?.parameters?.retry_after ?? parsed.data?.retry_after ?? 0;
  } catch {
    return 0;
  }
}
