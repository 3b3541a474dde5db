import type { INestApplication } from "@nestjs/common";
import { WsAdapter } from "@nestjs/platform-ws";
import { limits } from "@web-tester/contracts/limits";
import type { Logger } from "@web-tester/platform/log/logger";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { GateParts } from "../auth/access.guard.js";
import { requireSocketSite, socketProtocol, unauthorized } from "../auth/access.js";
import { headerSecrets, protocolSecret } from "../auth/credentials.js";
import { setActor } from "../http/actor.js";
import type { ConnectionLimit } from "../http/connections.js";
import { type RateLimit, tooMany } from "../http/rate-limit.js";
import { appHeaders } from "../http/security-headers.js";
import { toErrorBody } from "../http/to-error-body.js";
import { readFrame } from "./read-frame.js";

/** The only message pattern: it stands for every frame, valid or not. */
export const frameEvent = "frame";

interface Server {
  on(
    event: "connection",
    listener: (socket: { on(event: "error", listener: (error: Error) => void): void }) => void,
  ): void;
  on(event: "error", listener: (error: Error) => void): void;
}

/**
 * Nest's adapter for ws, with the product's frames (`type` instead of Nest's `event` and `data`), its frame limit, and its
 * access check before the upgrade, where Nest's guards do not run.
 */
export class SocketAdapter extends WsAdapter {
  constructor(
    app: INestApplication,
    private readonly gate: GateParts,
    private readonly rate: RateLimit,
    private readonly connections: ConnectionLimit,
    private readonly log: Logger,
  ) {
    super(app, { messageParser: (data) => ({ event: frameEvent, data: readFrame(data) }) });
  }

  override create(port: number, options: Record<string, unknown>) {
    return super.create(port, {
      ...options,
      // frames of the console are prepared once for all readers, which compression per connection would not allow
      perMessageDeflate: false,
      maxPayload: limits.websocketFrameMaxBytes,
      handleProtocols: (offered: Set<string>) => (offered.has(socketProtocol) ? socketProtocol : false),
      verifyClient: (
        { req }: { req: IncomingMessage },
        answer: (allowed: boolean, code?: number, message?: string, headers?: OutgoingHttpHeaders) => void,
      ) => {
        const seconds = this.rate.take(req);
        void this.admit(req, seconds).then(
          () => answer(true),
          (error: unknown) => {
            const { body } = toErrorBody(error, "websocket");
            answer(false, body.status, JSON.stringify(body), {
              ...appHeaders,
              "Content-Type": "application/json; charset=utf-8",
              ...(seconds === null ? {} : { "Retry-After": String(seconds) }),
            });
          },
        );
      },
    });
  }

  /**
   * Checks a request for a websocket before its upgrade.
   * @throws AppError too_many_requests, forbidden_origin, unauthorized
   */
  private async admit(request: IncomingMessage, seconds: number | null): Promise<void> {
    if (seconds !== null) throw tooMany(seconds);
    const { policy, authenticator } = this.gate;
    requireSocketSite(policy, request.headers);
    const { headers, method, url = "" } = request;
    const actor = await authenticator.identifySocket({
      headers,
      method,
      url,
      address: request.socket.remoteAddress ?? "unknown",
    });
    if (actor === null) {
      const isGuess = protocolSecret(headers["sec-websocket-protocol"]) !== null;
      if (isGuess || headerSecrets(headers, policy.tokenHeader).length > 0) this.rate.refuse(request);
      throw unauthorized(policy);
    }
    setActor(request, actor);
    this.connections.takeSocket(request);
  }

  /** Logs broken connections for debugging only: they are the clients' doing and not errors of ours. */
  override bindErrorHandler<S extends Server>(server: S): S {
    server.on("connection", (socket) =>
      socket.on("error", (error) => this.log.debug({ err: error }, "a websocket broke")),
    );
    server.on("error", (error) => this.log.error({ err: error }, "the websocket server failed"));
    return server;
  }
}
