import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  SubscribeMessage,
  WebSocketGateway,
} from "@nestjs/websockets";
import { limits } from "@web-tester/contracts/limits";
import { socketPaths } from "@web-tester/contracts/socket";
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import type { ReadFrame } from "./read-frame.js";
import { frameEvent } from "./socket-adapter.js";
import { Sockets } from "./sockets.js";

/** `/ws/console`: the log lines of background jobs. */
@WebSocketGateway({ path: socketPaths.console })
export class ConsoleGateway implements OnGatewayConnection<WebSocket>, OnGatewayDisconnect<WebSocket> {
  constructor(private readonly sockets: Sockets) {}

  handleConnection(socket: WebSocket, request: IncomingMessage): void {
    this.sockets.open(socket, request);
  }

  handleDisconnect(socket: WebSocket): void {
    this.sockets.close(socket);
  }

  @SubscribeMessage(frameEvent)
  async frame(@ConnectedSocket() socket: WebSocket, @MessageBody() read: ReadFrame): Promise<void> {
    await this.sockets.handle(socket, read, limits.consoleDefaultRoom);
  }
}
