import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Session } from "../session.js";
import { createAssistantServer } from "./assistant-server.js";

/** Answers an assistant over standard input and output until it goes. */
export async function serveAssistants(session: Session): Promise<void> {
  const server = createAssistantServer(session);
  const gone = new Promise<void>((done) => {
    server.server.onclose = () => done();
    process.stdin.once("end", () => void server.close());
    session.signal.addEventListener("abort", () => void server.close(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await gone;
}
