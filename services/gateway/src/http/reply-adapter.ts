import { ExpressAdapter } from "@nestjs/platform-express";
import type { Response } from "express";

/**
 * Nest's adapter for Express, with a shorter way for what nearly every call answers: JSON to a reader. Express looks for settings,
 * entity tags and conditions that this server does not have, and writes head and body apart.
 */
export class ReplyAdapter extends ExpressAdapter {
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    // what tells of a change is noted on its way through Express
    if (
      response.req.method !== "GET" ||
      typeof body !== "object" ||
      body === null ||
      response.hasHeader("Content-Type")
    )
      return super.reply(response, body, statusCode);
    const text = JSON.stringify(body);
    if (statusCode !== undefined) response.statusCode = statusCode;
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    response.setHeader("Content-Length", Buffer.byteLength(text));
    return response.end(text);
  }
}
