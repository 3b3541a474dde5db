import type { ErrorBody } from "@web-tester/contracts/entities/error-body";
import { AppError } from "@web-tester/contracts/errors";
import type { NextFunction, Request, Response } from "express";
import { STATUS_CODES, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { appHeaders } from "./security-headers.js";

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
const advice: Record<number, string> = {
  400: "This is not a valid HTTP request. Send a request with valid headers and the correct length.",
  408: "The request headers did not arrive in time. Send the request again.",
  417: "The only Expect header that this server supports is 100-continue. Send the request without Expect, or with that value.",
  431: "The address and headers of the request are too large (16 KiB at most together). Use a shorter address, or send fewer headers.",
};

function bodyOf(status: number): string {
  const body: ErrorBody = { status, code: "invalid_input", message: advice[status] ?? "" };
  return JSON.stringify(body);
}

/** Also of what Node.js refuses by itself. */
const headersOf = (text: string) => ({
  ...appHeaders,
  "Content-Type": "application/json; charset=utf-8",
  "Content-Length": Buffer.byteLength(text),
  Connection: "close",
});

/** Answers what is no request, and so reaches no handler, in the one shape of all refusals, and closes the connection. */
export function answerBrokenRequests(server: Server): void {
  server.on("checkExpectation", (_request, response: ServerResponse) => {
    const text = bodyOf(417);
    response.writeHead(417, headersOf(text)).end(text);
  });
  server.on(
    "clientError",
    (error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: { headersSent: boolean } }) => {
      // an answer that has begun must not be continued by another one
      if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent === true) {
        socket.destroy(error);
        return;
      }
      const status = statuses[error.code ?? ""] ?? 400;
      const text = bodyOf(status);
      const lines = Object.entries(headersOf(text)).map(([name, value]) => `${name}: ${value}`);
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${text}`);
    },
  );
}

/** Refuses requests without Host in words (RFC 9112, 3.2); Node.js would refuse them with an empty answer. */
export function requireHostHeader({ httpVersion, headers }: Request, _response: Response, next: NextFunction): void {
  next(
    httpVersion === "1.1" && headers.host === undefined
      ? new AppError(
          "invalid_input",
          "The header Host is missing. Send it with the name of this server, as HTTP/1.1 demands.",
        )
      : undefined,
  );
}
