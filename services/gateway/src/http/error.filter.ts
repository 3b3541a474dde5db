import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from "@nestjs/common";
import type { Logger } from "@web-tester/platform/logger";
import type { Request, Response } from "express";
import { LOG } from "../parts.js";
import { toErrorBody } from "./to-error-body.js";

/** The one place where errors become HTTP answers. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const what = `${request.method} ${request.path}`;
    const { body, unexpected } = toErrorBody(error, what);
    if (unexpected !== null)
      this.log.error({ err: error, reference: unexpected.reference, request: what }, "answering failed");
    else if (body.status >= 500) this.log.warn({ err: error, request: what }, body.message);
    if (response.headersSent) {
      // half an answer must not look like a whole one
      response.destroy();
      return;
    }
    // who is still sending would be cut off, before it reads why: what comes is taken, until it ends the connection or its time is over
    if (!request.complete) response.shouldKeepAlive = true;
    response.status(body.status).json(body);
  }
}
