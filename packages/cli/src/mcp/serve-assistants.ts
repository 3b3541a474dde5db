import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Session } from "../session.js";
import { createAssistantServer } from "./assistant-server.js";

/**
 * Answers an assistant until it goes. Whoever says no more, as a script that pipes its questions, is still told what it has asked for.
 * @param from what it says @param to what it is told
 */
export async function serveAssistants(
  session: Session,
  from: Readable = process.stdin,
  to: Writable = process.stdout,
): Promise<void> {
  const server = createAssistantServer(session);
  const transport = new StdioServerTransport(from, to);
  const open = openQuestions(transport);
  const gone = new Promise<void>((done) => {
    server.server.onclose = () => done();
    from.once("end", () => open.onNone(() => void server.close()));
    // nobody is left to be told
    to.once("error", () => void server.close());
    session.signal.addEventListener("abort", () => void server.close(), { once: true });
  });
  await server.connect(transport);
  await gone;
}

/** What of a transport's requests has no answer yet. `onNone` calls as soon as there is none. */
function openQuestions(transport: StdioServerTransport): { onNone(then: () => void): void } {
  const open = new Set<unknown>();
  let then: (() => void) | null = null;
  const close = (id: unknown): void => {
    if (open.delete(id) && open.size === 0) then?.();
  };
  transport.onmessage = (message: JSONRPCMessage) => {
    if (!("method" in message)) return;
    if ("id" in message) open.add(message.id);
    // what was called off is not answered
    else if (message.method === "notifications/cancelled") close(message.params?.["requestId"]);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message: JSONRPCMessage) => {
    await send(message);
    if (!("method" in message)) close(message.id);
  };
  return {
    onNone: (call) => {
      then = call;
      if (open.size === 0) call();
    },
  };
}
