import { type IncomingHttpHeaders, request, type OutgoingHttpHeaders } from "node:http";
import type { Answer } from "./raw-calls.js";

/** Sends one request exactly as given, even where no client library would write it like that. 101 where it became a websocket. */
export function askExactly(
  address: string,
  { method, path, headers = {}, body }: { method: string; path: string; headers?: OutgoingHttpHeaders; body?: unknown },
): Promise<Answer & { headers: IncomingHttpHeaders }> {
  const { hostname, port } = new URL(address);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request({
      hostname,
      port,
      method,
      path,
      agent: false,
      headers: {
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        ...headers,
      },
    });
    call.setTimeout(20_000, () => call.destroy(new Error(`${method} ${path} has no answer`)));
    call.on("error", reject);
    call.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, text: "", headers: response.headers });
    });
    call.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString("utf8"),
          headers: response.headers,
        }),
      );
      response.on("error", reject);
    });
    call.end(text);
  });
}
