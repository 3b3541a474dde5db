import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** How requests to the object store go wrong. */
export type StoreTrouble =
  | { kind: "none" }
  | { kind: "cut" }
  | { kind: "status"; status: number; code: string; method?: string; share?: number }
  | { kind: "slow"; ms: number }
  | { kind: "truncated"; share: number };

/** An HTTP proxy before an S3 server: it can respond in the server's place, respond late, or truncate a response. */
export interface StoreProxy {
  port: number;
  trouble(what: StoreTrouble): void;
  close(): Promise<void>;
}

/** @param target returns the port of the S3 server, @param chance returns 0…1, called for each request that may be hit or spared */
export async function openStoreProxy(target: () => number, chance: () => number): Promise<StoreProxy> {
  let trouble: StoreTrouble = { kind: "none" };
  const agent = new Agent({ keepAlive: true });
  const server = createServer((asked, answer) => {
    const now = trouble;
    if (now.kind === "cut") {
      asked.socket.destroy();
      return;
    }
    if (
      now.kind === "status" &&
      (now.method === undefined || now.method === asked.method) &&
      chance() < (now.share ?? 1)
    ) {
      refuse(asked, answer, now);
      return;
    }
    const pass = () => forward(asked, answer, now.kind === "truncated" && chance() < now.share);
    if (now.kind === "slow") setTimeout(pass, now.ms);
    else pass();
  });
  server.keepAliveTimeout = 60_000;

  function forward(asked: IncomingMessage, answer: ServerResponse, isCut: boolean): void {
    const { method, url, headers } = asked;
    const onward = request({ agent, host: "127.0.0.1", port: target(), method, path: url, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      if (!isCut || method !== "GET") {
        got.pipe(answer);
        return;
      }
      // sends half of the first chunk and closes the connection, so that fewer bytes arrive than content-length announced
      got.once("data", (part: Buffer) => {
        answer.write(part.subarray(0, part.length >> 1), () => answer.destroy());
        got.destroy();
      });
      got.once("end", () => answer.destroy());
    });
    onward.once("error", () => answer.destroy());
    answer.once("close", () => onward.destroy());
    asked.pipe(onward);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The store's proxy has no port");
  return {
    port: address.port,
    trouble(what) {
      trouble = what;
      if (what.kind === "cut") server.closeAllConnections();
    },
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function refuse(asked: IncomingMessage, answer: ServerResponse, { status, code }: { status: number; code: string }) {
  asked.resume();
  asked.once("end", () =>
    answer
      .writeHead(status, { "content-type": "application/xml" })
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>by the campaign</Message></Error>`),
  );
}
