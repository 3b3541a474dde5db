import { AppError } from "@web-tester/contracts/errors";

/** A mail server, as `SMTP_URL` describes it. */
export interface SmtpServer {
  host: string;
  port: number;
  /** `tls`: TLS from the first byte; `starttls`: STARTTLS required before the login; `none`: unencrypted. */
  security: "tls" | "starttls" | "none";
  user: string;
  password: string;
}

/**
 * Reads the address of a mail server: `smtp://user:password@host:587`, `smtps://…` for TLS from the first byte, `?security=none` for an
 * unencrypted relay.
 * @throws AppError invalid_input; the message never contains the password
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "")
    throw refused("write smtp://user:password@host:587, or smtps://user:password@host:465");
  const security =
    url.protocol === "smtps:" ? "tls" : url.searchParams.get("security") === "none" ? "none" : "starttls";
  if (security === "none" && url.password !== "")
    throw refused("a password is never sent in the clear; leave security=none out");
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || (security === "tls" ? 465 : 587),
    security,
    ...credentialsOf(url),
  };
}

function credentialsOf({ username, password }: URL): Pick<SmtpServer, "user" | "password"> {
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw refused("write a % in user or password as %25");
  }
}

const refused = (what: string): AppError => new AppError("invalid_input", what);
