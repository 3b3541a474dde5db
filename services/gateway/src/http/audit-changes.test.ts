import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import express from "express";
import { once } from "node:events";
import type { Server } from "node:http";
import { type Actor, setActor } from "./actor.js";
import { auditChanges } from "./audit-changes.js";
import { clientAddresses } from "./client-address.js";

let server: Server;
let address: string;
let lines: unknown[] = [];
const actor: Actor = {
  ...{ kind: "token", name: "CI", role: "operator", ownerId: null, credentials: [], sign: (path) => path },
  ...{ signedIn: false, until: null, share: null, isSigned: false },
};

beforeAll(async () => {
  const app = express();
  app.use((request, _response, next) => {
    setActor(request, actor);
    next();
  });
  const log = { info: (written: unknown) => lines.push(written) };
  const direct = auditChanges(log, clientAddresses([]));
  const behindProxy = auditChanges(log, clientAddresses(["127.0.0.1"]));
  app.use((...call) => (call[0].path.startsWith("/proxied") ? behindProxy : direct)(...call));
  app.post("/proxied/things", (_request, response) => void response.json({}));
  app.post("/api/things", (_request, response) => void response.json({ id: "new-1", secret: "s3cret" }));
  app.patch("/api/things/:id", (_request, response) => void response.status(401).json({ code: "unauthorized" }));
  app.delete("/api/things/:id", (request) => void request.socket.destroy());
  app.get("/api/things", (_request, response) => void response.json([]));
  server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  address = `http://127.0.0.1:${typeof at === "object" && at !== null ? at.port : 0}`;
});
beforeEach(() => {
  lines = [];
});
afterAll(async () => {
  server.close();
  await once(server, "close");
});

async function ask(method: string, path: string, more: Record<string, string> = {}): Promise<void> {
  const headers = { authorization: "Bearer s3cret", connection: "close", ...more };
  await fetch(`${address}${path}`, { method, headers }).then(
    (answer) => answer.text(),
    () => undefined,
  );
}

async function line(): Promise<unknown> {
  while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  return lines[0];
}

test("a change leaves who, what, which and how, and no secret", async () => {
  await ask("POST", "/api/things?token=s3cret");
  expect(await line()).toEqual({
    audit: "change",
    address: "127.0.0.1",
    actor: "token",
    name: "CI",
    method: "POST",
    path: "/api/things",
    madeId: "new-1",
    status: 200,
  });
  expect(JSON.stringify(lines)).not.toContain("s3cret");
});

test("a refused change is told as such", async () => {
  await ask("PATCH", "/api/things/7");
  expect(await line()).toMatchObject({
    actor: "refused",
    path: "/api/things/7",
    code: "unauthorized",
    status: 401,
  });
});

test("a caller who went away is told too", async () => {
  await ask("DELETE", "/api/things/7");
  expect(await line()).toMatchObject({ method: "DELETE", path: "/api/things/7", status: "gone" });
});

test("reading leaves no line", async () => {
  await ask("GET", "/api/things");
  // the first line is that of the change made afterwards
  await ask("PATCH", "/api/things/8");
  expect(await line()).toMatchObject({ method: "PATCH", path: "/api/things/8" });
  expect(lines).toHaveLength(1);
});

test.each([
  ["of a trusted proxy is the client's", "/proxied/things", "203.0.113.7, 198.51.100.9", "198.51.100.9"],
  ["is that of the connection where no proxy is trusted", "/api/things", "203.0.113.7", "127.0.0.1"],
])("the address %s", async (_, path, forwarded, expected) => {
  await ask("POST", path, { "x-forwarded-for": forwarded });
  expect(await line()).toMatchObject({ address: expected });
});
