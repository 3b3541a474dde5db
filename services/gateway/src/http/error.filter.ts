import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from "@nestjs/common";
import type { ErrorBody } from "@web-tester/contracts/entities/error-body";
import type { Logger } from "@web-tester/platform/log/logger";
import type { Request, Response } from "express";
import { type GatewayOptions, LOG, OPTIONS } from "../parts.js";
import { methodsOf } from "./endpoint-facts.js";
import { hasBody } from "./json-body.js";
import { appHeaders } from "./security-headers.js";
import { toErrorBody } from "./to-error-body.js";

/** Headers that describe an answer's body, and that a refusal must not keep. */
const ofTheAnswer = [
  "Content-Type",
  "Content-Disposition",
  "Content-Length",
  "Content-Encoding",
  "Content-Range",
  "Accept-Ranges",
  "ETag",
];

/** Converts errors to HTTP answers; the only place that does. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(LOG) private readonly log: Logger,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const what = `${request.method} ${request.path.replace(/^\/feeds\/.*/, "/feeds/…")}`;
    const methods = methodsOf(request.path);
    const { body, unexpected } = toErrorBody(error, what, methods);
    if (unexpected !== null)
      this.log.error({ err: error, reference: unexpected.reference, request: what }, "answering failed");
    else if (body.status >= 500) this.log.warn({ err: error, request: what }, body.message);
    if (response.headersSent) {
      // an incomplete answer must not look like a complete one
      response.destroy();
      return;
    }
    // a handler may have set these for the answer that then failed
    for (const name of ofTheAnswer) response.removeHeader(name);
    response.setHeader("Cache-Control", appHeaders["Cache-Control"]);
    // required by RFC 9110, 15.5.6
    if (body.code === "method_not_allowed") response.setHeader("Allow", methods.join(", "));
    // a client that is still sending its body would lose the connection before it could read the refusal; so its body is read on until the
    // client closes the connection or the body's time limit ends it
    if (hasBody(request) && !request.complete) response.shouldKeepAlive = true;
    response.status(body.status).json(this.withFullDisk(body));
  }

  /** A part that does not answer most likely waits for room, and says so seldom. */
  private withFullDisk(body: ErrorBody): ErrorBody {
    if (body.code !== "unavailable" || /disk [^.]*full/i.test(body.message)) return body;
    const words = this.options.fullDisk();
    return words === null ? body : { ...body, message: `${words} ${body.message}` };
  }
}
