import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  SubscribeMessage,
  WebSocketGateway,
} from "@nestjs/websockets";
import { socketPaths } from "@web-tester/contracts/socket";
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import type { ReadFrame } from "./read-frame.js";
import { frameEvent } from "./socket-adapter.js";
import { Sockets } from "./sockets.js";

/** `/ws`: events of test objects. */
@WebSocketGateway({ path: socketPaths.objects })
export class ObjectGateway implements OnGatewayConnection<WebSocket>, OnGatewayDisconnect<WebSocket> {
  constructor(private readonly sockets: Sockets) {}

  handleConnection(socket: WebSocket, request: IncomingMessage): void {
    this.sockets.open(socket, request);
  }

  handleDisconnect(socket: WebSocket): void {
    this.sockets.close(socket);
  }

  // without @MessageBody Nest would pass the socket first; whatever this returns is sent to the client
  @SubscribeMessage(frameEvent)
  async frame(@ConnectedSocket() socket: WebSocket, @MessageBody() read: ReadFrame): Promise<void> {
    await this.sockets.handle(socket, read, null);
  }
}
