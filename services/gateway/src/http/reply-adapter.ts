import { createServer, type IncomingMessage } from "node:http";
import { ExpressAdapter } from "@nestjs/platform-express";
import { socketPaths } from "@web-tester/contracts/socket";
import type { Express, Response } from "express";
import type { ServerTimes } from "./connections.js";
import { isInPieces, jsonPieces, longTextBytes } from "./json-pieces.js";
import { packedMinBytes } from "./packing.js";
import type { Sender } from "./sender.js";

const paths: ReadonlySet<string | undefined> = new Set(Object.values(socketPaths));

/**
 * Whether a request becomes a websocket. All others are answered: Java clients and `curl --http2` offer an upgrade to HTTP/2
 * (`Upgrade: h2c`) with every first request. A server may ignore this offer (RFC 9110, 7.8), but Nest's websockets would close the
 * connection.
 */
function opensSocket({ headers, url }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket" && paths.has(url?.split("?", 1)[0]);
}

/**
 * Nest's adapter for Express, with a faster way to send what nearly every call answers: JSON to a reading request. Express looks for
 * settings, entity tags and conditions that this server does not use, and writes head and body separately.
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
    const options = { ...this.times, shouldUpgradeCallback: opensSocket, requireHostHeader: false };
    this.httpServer = createServer(options, this.getInstance());
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    // the audit of changes hooks into Express's `response.json`, so that answers to changes go through Express
    if (
      (response.req.method !== "GET" && response.req.method !== "HEAD") ||
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
    if (length >= packedMinBytes) return this.sender.whole(response, Buffer.from(text), { inGzip: true });
    // as a string, the body is sent in one packet with the head
    response.setHeader("Content-Length", length);
    return response.end(text);
  }
}
