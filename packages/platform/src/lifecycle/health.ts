import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { AppError } from "@web-tester/contracts/errors";
import { errorCode } from "../object-store/object-driver.js";
import { type Checks, inTime, shareChecks } from "./run-checks.js";

export interface HealthOptions {
  /** 0 takes any free port. */
  port: number;
  host: string;
  checks: Checks;
  /**
   * Checks for parts that work only in part: each gives the reason as a sentence, or null when all is well. A check that takes longer than
   * a second is left out.
   */
  problems?: ReadonlyMap<string, () => Promise<string | null>>;
  /** Other facts about a part that a person may want to know; null: none yet. */
  notes?: ReadonlyMap<string, () => string | null>;
  /** Answers whatever asks for other paths; without it they are not found. */
  others?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** A prom-client registry. */
  metrics: { contentType: string; metrics(): Promise<string> };
}

/** Timeouts in milliseconds: requests have no body, and a connection that sends no request is closed. */
const patience = { headersTimeout: 20_000, requestTimeout: 25_000, connectionsCheckingInterval: 5_000 };

export interface HealthServer {
  /** The port that the server listens on. */
  port: number;
  close(): Promise<void>;
}

/**
 * Serves the state of a worker: `GET /healthz` 200 while the process lives, `GET /readyz` 200 (naming parts that are degraded) or 503 with
 * the parts that cannot be reached and why, `GET /metrics` in Prometheus' text format.
 * @throws AppError unavailable when the port is taken or not allowed
 */
export async function createHealthServer(options: HealthOptions): Promise<HealthServer> {
  const { port, host } = options;
  const pages = pagesOf(options);
  const server = createServer(patience, (request, response) => answer(pages, options.others, request, response));
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (cause) {
    // the first code means that the address is not this machine's, the second that the host name does not resolve
    const isForeign = ["EADDRNOTAVAIL", "ENOTFOUND"].includes(errorCode(cause) ?? "");
    const remedy = isForeign
      ? "this machine has no such address: set HOST to one of its own, for example 127.0.0.1"
      : "free the port, or set another HEALTH_PORT";
    throw new AppError("unavailable", `The health server cannot listen on ${host}:${port}: ${remedy}.`, { cause });
  }
  // failing to accept a connection must not end the process
  server.on("error", () => undefined);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Page = (response: ServerResponse) => Promise<void>;

function pagesOf({ checks, problems = new Map(), notes = new Map(), metrics }: HealthOptions): Record<string, Page> {
  const unreachable = shareChecks(checks);
  return {
    "/healthz": async (response) => sendJson(response, 200, { status: "alive" }),
    "/readyz": async (response) => {
      const parts = await unreachable();
      if (parts.length > 0) return sendJson(response, 503, { status: "not ready", unreachable: parts });
      const degraded = await problemsOf(problems);
      const known = notesOf(notes);
      sendJson(response, 200, {
        status: "ready",
        ...(degraded.length === 0 ? {} : { degraded }),
        ...(known.length === 0 ? {} : { notes: known }),
      });
    },
    "/metrics": async (response) => {
      const text = await metrics.metrics();
      response.writeHead(200, { "Content-Type": metrics.contentType }).end(text);
    },
  };
}

function answer(
  pages: Record<string, Page>,
  others: HealthOptions["others"],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (page === undefined && others !== undefined) return others(request, response);
  if (page === undefined)
    return sendJson(response, 404, { message: `There are only ${Object.keys(pages).join(", ")} here.` });
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return sendJson(response, 405, { message: "Ask with GET." });
  }
  page(response).catch(() =>
    sendJson(response, 500, { message: "The answer could not be made; the log of the process may say why." }),
  );
}

/** A slow check (a browser is unpacked on its first day) must not delay the whole answer. */
const problemKnownWithinMs = 1_000;

async function problemsOf(
  problems: ReadonlyMap<string, () => Promise<string | null>>,
): Promise<{ name: string; reason: string }[]> {
  const found = await Promise.all(
    [...problems].map(async ([name, problem]) => {
      const reason = await inTime(problem(), problemKnownWithinMs, null);
      return reason === null ? [] : [{ name, reason }];
    }),
  );
  return found.flat();
}

function notesOf(notes: ReadonlyMap<string, () => string | null>): { name: string; note: string }[] {
  return [...notes].flatMap(([name, tell]) => {
    const note = tell();
    return note === null ? [] : [{ name, note }];
  });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" })
    .end(JSON.stringify(body));
}
