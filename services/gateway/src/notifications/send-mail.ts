import { AppError } from "@web-tester/contracts/errors";
import type { SmtpServer } from "@web-tester/platform/config/smtp-url";
import type { OpenedSocket, OpenSocket } from "@web-tester/platform/egress/open-socket";
import { createTransport } from "nodemailer";
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

/** The time limits of each step, and of all steps together: with drawing the pictures before, this is less than the lease of a message. */
const timeoutMs = 15_000;
const togetherMs = 35_000;

/**
 * Sends one mail. A permanent refusal (5xx) of all recipients, or of the content, is final; all other failures are tried again, for
 * example where the server demands a sign-in. Of several recipients, those that are refused temporarily are returned in `later`.
 */
export async function sendMail(open: OpenSocket, server: MailServer, mail: Mail, signal: AbortSignal): Promise<Sent> {
  const { host, port, security, user, password, from } = server;
  const transport = createTransport({
    ...{ host, port, secure: security === "tls", requireTLS: security === "starttls", ignoreTLS: security === "none" },
    ...(user === "" ? {} : { auth: { user, pass: password } }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // so that content of pages can never make the library read a file or load an address
    ...{ disableFileAccess: true, disableUrlAccess: true },
    getSocket: (_: unknown, done: GotSocket) => void giveSocket(open(host, port), done),
  });
  try {
    const { to, subject, text, html, id, pictures } = mail;
    const domain = from.slice(from.lastIndexOf("@") + 1).replaceAll(/[>\s]/g, "") || "localhost";
    const sent = await transport.sendMail({
      signal: AbortSignal.any([signal, AbortSignal.timeout(togetherMs)]),
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
    return failureOf(error, host);
  } finally {
    transport.close();
  }
}

interface Refusal {
  recipient?: string;
  responseCode?: number;
}

function refusalsOf(refusals: readonly Refusal[], response: string): Pick<Sent, "answer" | "later"> {
  const named = (some: readonly Refusal[]) => some.flatMap(({ recipient }) => recipient ?? []);
  const isForNow = ({ responseCode = 500 }: Refusal) => responseCode < 500;
  const later = named(refusals.filter(isForNow));
  const never = named(refusals.filter((one) => !isForNow(one)));
  const words = [
    ...(never.length > 0 ? [`Refused for ${never.join(", ")}`] : []),
    ...(later.length > 0 ? [`Not taken yet for ${later.join(", ")}`] : []),
  ];
  return { answer: cut(words.length > 0 ? words.join(". ") : response), ...(later.length > 0 ? { later } : {}) };
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

const cut = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, " ").slice(0, 500);
