import { AppError } from "@web-tester/contracts/errors";
import type { Egress } from "@web-tester/platform/egress/egress";

/** How one try ended. `never`: trying again cannot help; `gone`: the receiver wants no more of them. */
export interface Sent {
  ok: boolean;
  /** HTTP or SMTP status. */
  status: number | null;
  /** What the receiver said, or why it could not be reached; nothing secret. */
  answer: string;
  never?: boolean;
  gone?: boolean;
  /** The receiver's own word for when to come again. */
  waitMs?: number;
}

export interface PostRequest {
  url: URL;
  body: string;
  headers: Record<string, string>;
}

const deadlineMs = 10_000;
const answerMax = 500;
const readMax = 64 * 1024;

/**
 * Sends a request to a receiver, through the egress door. Redirects are not followed: what was meant for one address is given to no other.
 * What a server that is being set up again answers (4xx other than 410) is tried again.
 */
export async function sendPost(egress: Egress, { url, body, headers }: PostRequest): Promise<Sent> {
  try {
    const answer = await egress.request({ url, method: "POST", headers, body, deadlineMs });
    const { status } = answer;
    if (status >= 300 && status < 400) {
      answer.body.destroy();
      const said = "It redirects to another address, which is not followed. Enter the address that it redirects to.";
      return { ok: false, status, answer: said, never: true };
    }
    const text = await firstOf(answer.body);
    if (status >= 200 && status < 300) return { ok: true, status, answer: text };
    return {
      ok: false,
      status,
      answer: text,
      ...(status === 410 ? { never: true, gone: true } : waitOf(answer.headers)),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ok: false, status: null, answer: error.message, never: error.code === "address_refused" };
  }
}

/** The beginning of an answer; the rest is not read. */
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

const dayS = 86_400;

function waitOf(headers: readonly [string, string][]): { waitMs?: number } {
  const seconds = Number(headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1]);
  return seconds > 0 ? { waitMs: Math.min(seconds, dayS) * 1_000 } : {};
}
