import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { databaseAnswers, natsAnswers } from "./external.mjs";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(serve: (socket: Socket) => void, port = 0): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    serve(socket);
  }).listen(port, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A PostgreSQL server that refuses each session with the next of these errors, and later ones with the last. */
function refusing(errors: readonly [code: string, message: string][]): (socket: Socket) => void {
  let sessions = 0;
  return (socket) => {
    const [code, message] = errors[Math.min(sessions++, errors.length - 1)] ?? ["", ""];
    socket.once("data", () => {
      const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`;
      const length = Buffer.alloc(4);
      length.writeInt32BE(4 + fields.length);
      socket.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)]));
    });
  };
}

const signal = new AbortController().signal;
const starting: [string, string] = ["57P03", "the database system is starting up"];
const wrongPassword: [string, string] = ["28P01", "password authentication failed"];

test("waits for a database that is starting, says so once, and ends on a wrong password", async () => {
  const port = await listen(refusing([starting, starting, wrongPassword]));
  const url = `postgres://u:geheim@127.0.0.1:${port}/x`;
  const lines: string[] = [];
  await expect(databaseAnswers(url, { signal, log: (line) => lines.push(line) })).rejects.toThrow(
    /^DATABASE_URL: .* does not let us in \(password authentication failed\)/,
  );
  expect(lines).toEqual([
    `Waiting for DATABASE_URL: the database at postgres://127.0.0.1:${port}/x is not ready (the database system is starting up) (Ctrl-C stops) …`,
  ]);
  // a command that does not wait ends on the first
  const again = await listen(refusing([starting, wrongPassword]));
  await expect(databaseAnswers(`postgres://u@127.0.0.1:${again}/x`)).rejects.toThrow(/is starting up/);
});

test("ends at once where the database does not exist", async () => {
  const port = await listen(refusing([["3D000", 'database "x" does not exist'], starting]));
  const lines: string[] = [];
  await expect(
    databaseAnswers(`postgres://u@127.0.0.1:${port}/x`, { signal, log: (line) => lines.push(line) }),
  ).rejects.toThrow(/does not exist .*: create it, or correct the name/);
  expect(lines).toEqual([]);
});

test("waits for a bus that does not listen yet, and ends on one without JetStream", async () => {
  const port = await listen(() => undefined);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  const info = { server_id: "x", version: "2.14.0", proto: 1, max_payload: 1_048_576, jetstream: false };
  const lines: string[] = [];
  const begin = (line: string) => {
    lines.push(line);
    void listen((socket) => {
      socket.write(`INFO ${JSON.stringify(info)}\r\n`);
      socket.on("data", (data) => data.includes("PING") && socket.write("PONG\r\n"));
    }, port);
  };
  await expect(natsAnswers(`nats://u:geheim@127.0.0.1:${port}`, { signal, log: begin })).rejects.toThrow(
    /^NATS_URL: .* has JetStream switched off/,
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^Waiting for NATS_URL: the server at nats:\/\/127\.0\.0\.1:\d+ does not answer /);
});

test("stops waiting when the start is broken off", async () => {
  const breaking = new AbortController();
  const port = await listen(refusing([starting]));
  await expect(
    databaseAnswers(`postgres://u@127.0.0.1:${port}/x`, { signal: breaking.signal, log: () => breaking.abort() }),
  ).rejects.toMatchObject({ name: "AbortError" });
});
