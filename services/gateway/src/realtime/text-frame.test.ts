import { expect, test } from "@jest/globals";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { textFrame } from "./text-frame.js";

test("frames of every length reach a websocket client whole and in order, also in one write", async () => {
  const texts = ["", "é", ...[125, 126, 127, 65_535, 65_536, 70_000].map((length) => "x".repeat(length))];
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (_socket, request) => {
    request.socket.write(Buffer.concat(texts.map(textFrame)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  const got: string[] = [];
  await new Promise<void>((resolve, reject) => {
    client.on("message", (data: Buffer, isBinary) => {
      got.push(isBinary ? "binary" : data.toString("utf8"));
      if (got.length === texts.length) resolve();
    });
    client.once("error", reject);
    client.once("close", () => reject(new Error("the client found the frames wrong")));
  });
  client.terminate();
  sockets.close();
  server.close();
  expect(got).toEqual(texts);
});
