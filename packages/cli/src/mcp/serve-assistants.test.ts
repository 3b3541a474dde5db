import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, jest, test } from "@jest/globals";
import type { Call } from "../client.js";
import { Session } from "../session.js";
import { serveAssistants } from "./serve-assistants.js";

const nowhere = { write: () => undefined };
const said = (...messages: object[]) =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
const hello = [
  {
    ...{ id: 1, method: "initialize" },
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } },
  },
  { method: "notifications/initialized" },
];
const question = { id: 2, method: "tools/call", params: { name: "list_sites", arguments: {} } };

/** An assistant that sends its requests and then closes its output. @returns the answers that it gets, and a function that lets the product answer */
function piped(words: string) {
  const product = Promise.withResolvers<unknown[]>();
  const session = new Session({ env: {}, out: nowhere, progress: nowhere, onInterrupt: () => undefined });
  jest.spyOn(session, "call").mockResolvedValue((() => product.promise) as Call);
  const [from, to] = [new PassThrough(), new PassThrough()];
  const served = serveAssistants(session, from, to).then(() => to.end());
  from.end(words);
  return { told: Promise.all([text(to), served]).then(([lines]) => lines), answer: product.resolve };
}

test("whoever pipes its questions gets all answers", async () => {
  const { told, answer } = piped(said(...hello, question, { id: 3, method: "tools/list" }));
  setImmediate(() => answer([{ id: "o", name: "Hats", url: "http://hats.test/" }]));
  const lines = (await told)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(new Set(lines.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
  expect(JSON.stringify(lines)).toContain("Hats");
});

test("what was called off is not waited for", async () => {
  const off = { method: "notifications/cancelled", params: { requestId: 2 } };
  const { told } = piped(said(...hello, question, off));
  expect((await told).trim().split("\n")).toHaveLength(1);
});
