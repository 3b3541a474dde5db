import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";

/** The stage of a request at which a fault happened; it decides what the fault means. */
export type Stage = "lookup" | "connect" | "headers" | "body";

const certificateFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  CERT_REVOKED: "its certificate was revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate chain ends in a self-signed certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate was signed by an unknown authority, or an intermediate certificate is missing",
  UNABLE_TO_GET_ISSUER_CERT: "the issuer of its certificate is unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate was signed by an unknown authority, or an intermediate certificate is missing",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate was made for another host name",
  HOSTNAME_MISMATCH: "its certificate was made for another host name",
};

/**
 * Handshake faults of servers that do speak https, but demand something that we do not support. All other handshake faults may mean that
 * the port does not speak TLS.
 */
const handshakeFaults: Record<string, string> = {
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
    "it wants another protocol than HTTP/1.1, HTTP/2 only perhaps. Pages are loaded by HTTP/1.1, in the browser too: let the server, or a proxy in front of it, answer that as well",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "it supports no secure TLS version (1.2 or 1.3). It has to be updated",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "it supports no secure TLS version (1.2 or 1.3). It has to be updated",
};

const connectionFaults: Record<string, string> = {
  ECONNREFUSED:
    "nothing listens there (the connection was refused). Check the port of the URL and that the server runs",
  ECONNRESET: "it closed the connection before it answered. Check that the server runs, and try again",
  EPIPE: "it closed the connection before it answered. Check that the server runs, and try again",
  UND_ERR_SOCKET: "it closed the connection before it answered. Check that the server runs, and try again",
  EHOSTUNREACH: "there is no route to it. Check the network of this machine, and that the server is up",
  ENETUNREACH: "there is no route to its network. Check the network of this machine",
  ENETDOWN: "the network of this machine is down",
  ETIMEDOUT: "it did not accept a connection in time. Check that the server is up and lets this machine in",
  EADDRNOTAVAIL: "this machine has no free port left for it. Try again later",
  EMFILE: "this machine has no free file handle left for it. Try again later",
};

/** The `code` of an error of Node or undici, or of the first error inside an AggregateError; "" when there is none. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return "errors" in error && Array.isArray(error.errors) ? codeOf(error.errors[0]) : "";
}

/** Our words for answers that undici rejects by closing the connection without a message of use. */
const unasked = {
  continue: "it goes on with 100 Continue, which nobody asked for",
  upgrade: "it changes to another protocol, which nobody asked for",
  status: "Invalid status code",
  length: "its headers contradict one another about its length",
};

/** What undici's parser says of faults that browsers overlook: in the status line, in headers, about lengths, and in chunks. */
const overlooked = [
  "Expected dot",
  "Invalid HTTP version",
  "Missing expected (?!CR after chunk)",
  ".* header value",
  "Invalid header token",
  "Content-Length can't be",
  "Transfer-Encoding can't be",
  "(?:Invalid character in|Empty) Content-Length",
  unasked.length,
  "Invalid character in chunk size",
];
const overlookedFault = new RegExp(`\\((?:${overlooked.join("|")})`);

/**
 * Whether an answer was refused only for faults that browsers tolerate: line ends, folded values, control characters in values, lines that
 * are no headers, odd status lines, a length that is said twice, spaces behind the size of a chunk, or a 100 Continue before the answer.
 */
export function isOverlookedByBrowsers(error: AppError): boolean {
  return (
    error.code === "protocol_error" && (overlookedFault.test(error.message) || error.message.includes(unasked.continue))
  );
}

/** Turns any failure of a request into an AppError with a sentence for a person. AppErrors pass unchanged. */
export function describeFailure(error: unknown, host: string, stage: Stage): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const options = { cause: error };
  if (stage === "lookup") return describeLookup(code, host, options);
  return (
    describeTls(code, host, stage, options) ??
    describeAnswer(error, code, host, stage, options) ??
    describeRequest(error, code, host, options) ??
    describeConnection(code, host, options)
  );
}

type Cause = { cause: unknown };

function describeTls(code: string, host: string, stage: Stage, options: Cause): AppError | null {
  const certificateFault = certificateFaults[code];
  if (certificateFault !== undefined) {
    return new AppError(
      "tls_failed",
      `The TLS certificate of ${host} is not valid: ${certificateFault} (${code}). It has to be renewed or corrected.`,
      options,
    );
  }
  const handshakeFault = handshakeFaults[code];
  if (stage === "connect" && handshakeFault !== undefined) {
    return new AppError(
      "tls_failed",
      `Could not make a secure connection to ${host}: ${handshakeFault} (${code}).`,
      options,
    );
  }
  if (stage === "connect" && /^(ERR_SSL_|ERR_TLS_|EPROTO|CERT_|ERR_OSSL)/.test(code)) {
    return new AppError(
      "tls_failed",
      `Could not make a secure connection to ${host}: the TLS handshake failed (${code}). Check that this port serves https.`,
      options,
    );
  }
  return null;
}

/** Describes faults of what the server sent, or of a body that it did not finish. */
function describeAnswer(error: unknown, code: string, host: string, stage: Stage, options: Cause): AppError | null {
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return new AppError(
      "too_large",
      `The server ${host} sent more than ${budgets.headersMaxBytes / 1024} KiB of headers, which is the limit.`,
      options,
    );
  }
  const syntaxFault = syntaxFaultOf(error, stage);
  if (stage === "body" && (syntaxFault === null || syntaxFault.includes("EOF"))) {
    return new AppError(
      "body_cut_off",
      `The server ${host} ended the connection before the whole body had arrived${code === "" ? "" : ` (${code})`}. Try again; if it happens every time, the server is at fault.`,
      options,
    );
  }
  if (syntaxFault !== null) {
    return new AppError(
      "protocol_error",
      `The server ${host} answered with something that is not valid HTTP (${syntaxFault}). Check that an HTTP server listens on this port.`,
      options,
    );
  }
  return null;
}

function describeRequest(error: unknown, code: string, host: string, options: Cause): AppError | null {
  if (code.startsWith("UND_ERR_INVALID_ARG")) {
    return new AppError(
      "invalid_input",
      `The request to ${host} cannot be sent: ${error instanceof Error ? error.message : code}. Check its URL and its headers.`,
      options,
    );
  }
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") {
    return new AppError("cancelled", `The request to ${host} was cancelled because the product is stopping.`, options);
  }
  return null;
}

function describeConnection(code: string, host: string, options: Cause): AppError {
  const fault = connectionFaults[code] ?? `the connection failed${code === "" ? "" : ` (${code})`}. Try again later`;
  return new AppError("connection_failed", `The server ${host} could not be reached: ${fault}.`, options);
}

/** What undici's parser rejected in a response; null when something else failed. The parser's errors have a name but often no code. */
function syntaxFaultOf(error: unknown, stage: Stage): string | null {
  if (codeOf(error) === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return stage === "body" ? null : unasked.length;
  if (typeof error !== "object" || error === null || !("name" in error)) return null;
  const message = "message" in error ? String(error.message) : "";
  if (stage === "headers" && error.name === "SocketError" && message === "bad response") return unasked.continue;
  if (stage === "headers" && error.name === "SocketError" && message === "bad upgrade") return unasked.upgrade;
  // a status below 100 is the only way in which an answer breaks an assertion of undici
  if (stage === "headers" && codeOf(error) === "ERR_ASSERTION") return unasked.status;
  if (error.name !== "HTTPParserError") return null;
  return /\((.*)\)$/.exec(message)?.[1] ?? "it cannot be read";
}

function describeLookup(code: string, host: string, options: { cause: unknown }): AppError {
  if (code === "EAI_AGAIN" || code === "ETIMEOUT" || code === "ESERVFAIL") {
    return new AppError(
      "dns_failed",
      `The host ${host} could not be looked up: DNS did not answer (${code}). Check the spelling of the URL and the network of this machine, and try again.`,
      options,
    );
  }
  return new AppError(
    "dns_failed",
    `The host ${host} could not be found: DNS has no address for it. Check the spelling of the URL.`,
    options,
  );
}
