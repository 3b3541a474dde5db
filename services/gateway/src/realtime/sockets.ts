import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { WebSocket } from "ws";
import type { Metrics } from "@web-tester/platform/metrics/metrics";
import { type RateLimit, tooMany } from "../http/rate-limit.js";
import { BUS, LIVE, METRICS, RATE } from "../parts.js";
import type { LiveCredentials } from "../auth/live-credentials.js";
import { actorOf } from "../http/actor.js";
import { Hub } from "./hub.js";
import { sendFrame, type Socket } from "./peer.js";
import type { IncomingMessage } from "node:http";
import type { ReadFrame } from "./read-frame.js";

const pingEveryMs = 20_000;
const goodbyeMs = 2_000;

/** Manages all open websockets: sets them up, pings them, passes their frames to the hub, and closes them. */
@Injectable()
export class Sockets implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly hub: Hub;
  /** Whether each socket has answered the last ping. */
  private readonly alive = new Map<WebSocket, boolean>();
  /** The HTTP request that each socket was opened with. */
  private readonly requests = new WeakMap<Socket, IncomingMessage>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(BUS) bus: Bus,
    @Inject(METRICS) metrics: Metrics,
    @Inject(RATE) private readonly rate: RateLimit,
    @Inject(LIVE) private readonly live: LiveCredentials,
  ) {
    metrics.gauge("sockets_open", "Websockets that are open", () => this.alive.size);
    const clock = {
      nowMs: () => performance.now(),
      after: (delayMs: number, run: () => void) => {
        const timer = setTimeout(run, delayMs);
        return () => clearTimeout(timer);
      },
    };
    this.hub = new Hub(bus, clock, (socket, frames) => this.requests.get(socket)?.socket.write(frames));
  }

  onApplicationBootstrap(): void {
    this.hub.start();
    this.timer = setInterval(() => this.ping(), pingEveryMs);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
    this.hub.stop();
    for (const socket of this.alive.keys()) socket.close(1001, "The server is stopping");
  }

  /** @param request the HTTP request that the websocket was opened with */
  open(socket: WebSocket, request: IncomingMessage): void {
    this.requests.set(socket, request);
    this.alive.set(socket, true);
    const { credentials } = actorOf(request);
    socket.once(
      "close",
      this.live.track(credentials, () => endSocket(socket)),
    );
    socket.on("pong", () => this.alive.set(socket, true));
    this.hub.open(socket);
  }

  close(socket: WebSocket): void {
    this.alive.delete(socket);
    this.hub.close(socket);
  }

  async handle(socket: WebSocket, read: ReadFrame, defaultRoom: string | null): Promise<void> {
    const request = this.requests.get(socket);
    const seconds = request === undefined ? null : this.rate.take(request);
    if (seconds !== null) sendFrame(socket, { type: "error", message: tooMany(seconds).message });
    else if (read.ok) await this.hub.handle(socket, read.frame, defaultRoom);
    else sendFrame(socket, { type: "error", message: read.message });
  }

  /** Pings all sockets and cuts off those that did not answer the last ping, whatever state their connection seems to have. */
  private ping(): void {
    for (const [socket, answered] of this.alive) {
      if (answered) {
        this.alive.set(socket, false);
        socket.ping();
      } else {
        socket.terminate();
      }
    }
  }
}

/**
 * Closes a socket whose credentials have ended. 4401 is like HTTP's 401, in the range for applications (RFC 6455 §7.4.2). A peer that
 * does not answer the close frame is cut off.
 */
function endSocket(socket: WebSocket): void {
  socket.close(4401, "The token or sign-in of this connection has ended");
  setTimeout(() => socket.terminate(), goodbyeMs).unref();
}
