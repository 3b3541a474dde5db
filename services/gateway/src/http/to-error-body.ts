import { HttpException } from "@nestjs/common";
import type { ErrorBody } from "@web-tester/contracts/entities/error-body";
import { AppError, errorCodes } from "@web-tester/contracts/errors";
import { randomUUID } from "node:crypto";

/** An error as the caller sees it. `unexpected` is set where the details go only to the log. */
export interface Reported {
  body: ErrorBody;
  unexpected: { reference: string } | null;
}

/**
 * Converts an error to the body of a refusal.
 * @param what the request in words, `GET /api/x`, for messages
 * @param methods the HTTP methods that the request's path is known with
 */
export function toErrorBody(error: unknown, what: string, methods: readonly string[] = []): Reported {
  if (error instanceof AppError) {
    const status = errorCodes[error.code].http;
    return {
      body: {
        status,
        code: error.code,
        message: error.message,
        ...(error.details === undefined ? {} : { details: error.details }),
      },
      unexpected: null,
    };
  }
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status === 404 && methods.length > 0)
    return plain("method_not_allowed", `There is no ${what}, only ${methods.join(", ")}. /api/docs lists the calls.`);
  if (status === 404) return plain("route_not_found", `There is no ${what}. /api/docs lists the calls that exist.`);
  if (error instanceof URIError || status === 400)
    return plain(
      "invalid_input",
      `The address of ${what} cannot be read: it has a broken percent escape or header. Correct it and try again.`,
    );
  if (status === 413) return plain("payload_too_large", "The request is too large. Split it into smaller requests.");
  const reference = randomUUID().slice(0, 8);
  return {
    body: {
      status: 500,
      code: "internal",
      message: `The server failed to answer ${what}. Try again; if it happens again, search the gateway's log for ${reference}.`,
    },
    unexpected: { reference },
  };
}

function plain(code: keyof typeof errorCodes, message: string): Reported {
  return { body: { status: errorCodes[code].http, code, message }, unexpected: null };
}

/** The status of an error: Express and its parts mark the client's faults with a numeric `status`. */
function statusOf(error: unknown): number {
  return typeof error === "object" && error !== null && "status" in error && typeof error.status === "number"
    ? error.status
    : 500;
}
