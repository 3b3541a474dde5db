import { createServer, type IncomingMessage } from "node:http";
import { ExpressAdapter } from "@nestjs/platform-express";
import { socketPaths } from "@web-tester/contracts/socket";
import type { Express, Response } from "express";
import type { ServerTimes } from "./connections.js";
import { isInPieces, jsonPieces, longTextBytes } from "./json-pieces.js";
import { type Sender, sentAtOnceMaxBytes } from "./sender.js";

const paths: ReadonlySet<string | undefined> = new Set(Object.values(socketPaths));

/**
 * Whether a request becomes a websocket. All others are answered: clients of Java and `curl --http2` offer to go on in HTTP/2 (`Upgrade: h2c`)
 * with every first request, an offer that a server may leave alone (RFC 9110, 7.8), and Nest's websockets would end their connections.
 */
function opensSocket({ headers, url }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket" && paths.has(url?.split("?", 1)[0]);
}

/**
 * Nest's adapter for Express, with a shorter way for what nearly every call answers: JSON to a reader. Express looks for settings,
 * entity tags and conditions that this server does not have, and writes head and body apart.
 */
export class ReplyAdapter extends ExpressAdapter {
  constructor(
    app: Express,
    private readonly sender: Sender,
    private readonly times: ServerTimes,
  ) {
    super(app);
  }

  override initHttpServer(): void {
    this.httpServer = createServer({ ...this.times, shouldUpgradeCallback: opensSocket }, this.getInstance());
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    // what tells of a change is noted on its way through Express
    if (
      response.req.method !== "GET" ||
      typeof body !== "object" ||
      body === null ||
      response.hasHeader("Content-Type")
    )
      return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    if (isInPieces(body)) return this.sender.pieces(response, jsonPieces(body), longTextBytes(body));
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    if (length > sentAtOnceMaxBytes) return this.sender.whole(response, Buffer.from(text));
    // a text goes out in one packet with the head
    response.setHeader("Content-Length", length);
    return response.end(text);
  }
}
