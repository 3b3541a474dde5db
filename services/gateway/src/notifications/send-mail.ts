import { AppError } from "@web-tester/contracts/errors";
import type { SmtpServer } from "@web-tester/platform/config/smtp-url";
import type { OpenedSocket, OpenSocket } from "@web-tester/platform/egress/open-socket";
import { createTransport } from "nodemailer";
import { Readable } from "node:stream";
import { type Sent, unreached } from "./sent.js";

/** The mail server, and the address that mails are from. */
export interface MailServer extends SmtpServer {
  from: string;
}

export interface Mail {
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** JPEGs that the HTML refers to by their `Content-ID`. */
  pictures: { cid: string; bytes: Buffer }[];
  /** The same at each try, so that mail clients recognise a duplicate. */
  id: string;
}

/**
 * The time limits of the first step, of all steps until the content is sent, and of the server's answer to it. Servers look at the content
 * before they answer (Exchange for up to 30 s, filters for longer), and who does not wait for it sends the same mail again. With drawing
 * the pictures before, all together is less than the lease of a mail.
 */
const timeoutMs = 15_000;
const patience = { untilSentMs: 35_000, answerMs: 120_000 };

/**
 * Sends one mail. A permanent refusal (5xx) of all recipients, or of the content, is final; all other failures are tried again, for
 * example where the server demands a sign-in. Of several recipients, those that are refused temporarily are returned in `later`.
 * @param within time limits, shorter in tests
 */
export async function sendMail(
  open: OpenSocket,
  server: MailServer,
  mail: Mail,
  signal: AbortSignal,
  within = patience,
): Promise<Sent> {
  const { host, from } = server;
  const limit = limitOf(within);
  const transport = transportTo(open, server, within.answerMs + timeoutMs, limit.contentSent);
  try {
    const { to, subject, text, html, id, pictures } = mail;
    const domain = from.slice(from.lastIndexOf("@") + 1).replaceAll(/[>\s]/g, "") || "localhost";
    const sent = await transport.sendMail({
      signal: AbortSignal.any([signal, limit.signal]),
      ...{ from, to, subject, text, html },
      attachments: pictures.map(({ cid, bytes }, index) => ({
        ...{ cid, content: bytes, filename: `page-${index + 1}.jpg`, contentType: "image/jpeg" },
        contentDisposition: "inline" as const,
      })),
      messageId: `<${id}@${domain}>`,
      headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    });
    return { ok: true, status: 250, ...refusalsOf(sent.rejectedErrors ?? [], sent.response) };
  } catch (error) {
    const isOver = limit.signal.aborted || signal.aborted;
    return isOver ? { ok: false, status: null, answer: limit.words() } : failureOf(error, host);
  } finally {
    limit.clear();
    transport.close();
  }
}

/** @param silenceMs how long the server may say nothing @param onContentSent is called when the server has got the whole content */
function transportTo(open: OpenSocket, server: MailServer, silenceMs: number, onContentSent: () => void) {
  const { host, port, security, user, password } = server;
  const transport = createTransport({
    ...{ host, port, secure: security === "tls", requireTLS: security === "starttls", ignoreTLS: security === "none" },
    ...(user === "" ? {} : { auth: { user, pass: password } }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: silenceMs },
    // so that content of pages can never make the library read a file or load an address
    ...{ disableFileAccess: true, disableUrlAccess: true },
    getSocket: (_: unknown, done: GotSocket) => void giveSocket(open(host, port), done),
  });
  transport.use("stream", ({ message }, done) => {
    // what comes out is read once the server has asked for it
    message.processFunc((content) => Readable.from(toldAtEnd(content, onContentSent), { objectMode: false }));
    done();
  });
  return transport;
}

/** Passes the pieces of a stream on, and tells when the last one was taken. */
async function* toldAtEnd(content: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  yield* content;
  onEnd();
}

/** Limits the time until the content is sent, and then the time of the answer. */
function limitOf({ untilSentMs, answerMs }: typeof patience) {
  const over = new AbortController();
  const after = (ms: number) => setTimeout(() => over.abort(), ms);
  let timer = after(untilSentMs);
  let isSent = false;
  return {
    signal: over.signal,
    contentSent() {
      clearTimeout(timer);
      isSent = true;
      timer = after(answerMs);
    },
    words: () =>
      isSent
        ? "The mail server took the mail, but did not say in time whether it accepts it. It may have arrived."
        : "The mail server did not take the mail in time.",
    clear: () => clearTimeout(timer),
  };
}

interface Refusal {
  recipient?: string;
  responseCode?: number;
  /** What the server said, such as `550 5.1.1 User unknown`. */
  response?: string;
}

function refusalsOf(refusals: readonly Refusal[], response: string): Pick<Sent, "answer" | "later" | "refused"> {
  const isForNow = ({ responseCode = 500 }: Refusal) => responseCode < 500;
  const waiting = refusals.filter(isForNow);
  const never = namedWithReason(refusals.filter((one) => !isForNow(one)));
  const later = waiting.flatMap(({ recipient }) => recipient ?? []);
  const words = [
    ...(never.length > 0 ? [`Refused for ${never.join(", ")}`] : []),
    ...(later.length > 0 ? [`Not taken yet for ${namedWithReason(waiting).join(", ")}`] : []),
  ];
  return {
    answer: cut(words.length > 0 ? words.join(". ") : response),
    ...(later.length > 0 ? { later } : {}),
    ...(never.length > 0 ? { refused: never } : {}),
  };
}

/** The most characters of a server's reason, so that those of several recipients fit into an answer. */
const reasonMax = 160;

/** Names recipients with what the server said about them; of those of whom it said the same, the last one has it. */
function namedWithReason(refusals: readonly Refusal[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { recipient, response = "" } of refusals) {
    if (recipient === undefined) continue;
    const reason = cut(response, reasonMax).trim();
    byReason.set(reason, [...(byReason.get(reason) ?? []), recipient]);
  }
  return [...byReason].flatMap(([reason, named]) =>
    named.map((recipient, at) => (reason === "" || at < named.length - 1 ? recipient : `${recipient} (${reason})`)),
  );
}

type GotSocket = (error: Error | null, found?: { connection: OpenedSocket }) => void;

/** Passes a connection to code that takes callbacks. */
async function giveSocket(opening: Promise<OpenedSocket>, done: GotSocket): Promise<void> {
  let connection: OpenedSocket;
  try {
    connection = await opening;
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done(null, { connection });
}

/** What went wrong, in words that hold no password. */
function failureOf(error: unknown, host: string): Sent {
  if (error instanceof AppError) return unreached(error, host);
  const { message, responseCode, command } = error as { message?: string; responseCode?: number; command?: string };
  const status = typeof responseCode === "number" ? responseCode : null;
  // a wrong password, a certificate, or a sender that the server does not know may be corrected within the three days of retries
  const never = status !== null && status >= 500 && (command === "RCPT TO" || command === "DATA");
  return { ok: false, status, answer: cut(message ?? "The mail could not be sent."), never };
}

const cut = (text: string, max = 500): string => text.replaceAll(/[\p{Cc}\s]+/gu, " ").slice(0, max);
