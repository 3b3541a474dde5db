import {
  api,
  type BodyInput,
  type Endpoint,
  type EndpointName,
  type Params,
  type QueryInput,
  type Response as Answer,
} from "@web-tester/contracts/api";
import { type RunConflict, runConflict } from "@web-tester/contracts/entities/run";
import { z } from "zod";
import { createPatience } from "./patience.js";

/** The address of the product, and the token for it. */
export interface Server {
  /** Without a slash at the end. */
  url: string;
  /** Null if none is needed. */
  token: string | null;
}

interface Parts<N extends EndpointName> {
  params?: Params<N>;
  query?: QueryInput<N>;
  body?: BodyInput<N>;
}

/** Calls an endpoint of the product by its name. */
export type Call = <N extends EndpointName>(name: N, parts?: Parts<N>) => Promise<Answer<N>>;

/** All calls that a command makes to the product. */
export interface Client {
  call: Call;
  /** Calls an endpoint whose body or answer is a file. The returned response is always ok. */
  raw(method: "GET" | "POST", path: string, body?: string | Blob, type?: string): Promise<Response>;
}

/** An error with a message for the user. */
export class CannotRun extends Error {}

/** Returns the message of whatever was thrown. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A refusal by the server. */
export class Refused extends CannotRun {
  constructor(
    message: string,
    /** HTTP status of the answer. */
    readonly status: number,
    /** The run that has to end first; null if that is not the reason. */
    readonly inTheWay: RunConflict | null,
    /** What the server adds to the message, such as all faults of a file. */
    readonly details?: unknown,
  ) {
    super(message);
  }
}

const refusal = z.object({ message: z.string(), details: z.unknown().optional() });

/** @param signal aborts all requests @param pauseMs pause between two attempts while the server is away */
export function createClient({ url, token }: Server, signal: AbortSignal, pauseMs?: number): Client {
  const patiently = createPatience(signal, pauseMs);
  const send: Send = (method, path, body, type = "application/json") =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        "content-type": type,
        accept: "application/json",
        "user-agent": "web-tester-cli",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body, duplex: "half" }),
      signal,
    });
  const ask: Send = async (method, ...rest) => {
    // a header cannot carry such a token; the fetch error would print it into the log
    if (token !== null && !/^[\x21-\x7e]+$/.test(token))
      throw new CannotRun(
        "WEB_TESTER_TOKEN is not a valid token: it contains a space, a line break or another invalid character. Copy it again.",
      );
    const response = await patiently(method === "GET", () => send(method, ...rest)).catch((error: unknown) => {
      if (signal.aborted) throw error;
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
        throw new CannotRun(`“${url}” is not the address of a server. It must start with http:// or https://.`);
      throw new CannotRun(unreached(url, error));
    });
    if (!response.ok) throw refusalOf(url, response.status, await response.text(), token !== null);
    return response;
  };
  return { call: callBy(ask, url), raw: ask };
}

type Send = (method: string, path: string, body?: string | Blob, type?: string) => Promise<Response>;

function callBy(ask: Send, url: string): Call {
  return async <N extends EndpointName>(name: N, parts: Parts<N> = {}): Promise<Answer<N>> => {
    const row: Endpoint = api[name];
    const response = await ask(
      row.method,
      addressOf(row, parts),
      row.method === "GET" || row.method === "DELETE" ? undefined : JSON.stringify(parts.body ?? {}),
    );
    const text = await response.text();
    const data = parsed(text);
    if (text !== "" && data === undefined) throw new CannotRun(notTheProduct(url, response.status));
    const answer = row.response.safeParse(data);
    if (!answer.success)
      throw new CannotRun(
        `The answers of ${url} have another format. This program and the product must have the same version.`,
      );
    // safe cast: the row's own schema made this value; TypeScript cannot follow a generic name through the table
    return answer.data as Answer<N>;
  };
}

function addressOf(row: Endpoint, parts: { params?: object; query?: object }): string {
  const params: Record<string, unknown> = { ...parts.params };
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ ...parts.query })) if (value !== undefined) query.set(key, String(value));
  return `${path}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

const unanswered = z.object({ cause: z.object({ message: z.string(), code: z.string() }).partial() });

/** Why there is no answer. What `fetch` throws says so in its cause only. */
function unreached(url: string, error: unknown): string {
  const { message = "", code = "" } = unanswered.safeParse(error).data?.cause ?? {};
  const said = message || code || String(error);
  if (/CERT|SIGNATURE/.test(code))
    return `This machine does not trust the certificate of ${url} (${said}). Set NODE_EXTRA_CA_CERTS to the file with its certificate authority.`;
  return `Nothing answers at ${url} (${said}). Start the product there, or set WEB_TESTER_URL to another server.`;
}

const notTheProduct = (url: string, status: number): string =>
  `${url} answered ${status}, but not as this product does. Check that WEB_TESTER_URL is the right address.`;

function refusalOf(url: string, status: number, text: string, isNamed: boolean): Refused {
  if (status === 401)
    return new Refused(
      isNamed
        ? "The server rejects the token in WEB_TESTER_TOKEN: it is wrong, revoked or expired."
        : "The server needs its API token: set WEB_TESTER_TOKEN.",
      status,
      null,
    );
  const told = refusal.safeParse(parsed(text));
  const inTheWay = status === 409 ? runConflict.safeParse(told.data?.details).data : undefined;
  return new Refused(told.data?.message ?? notTheProduct(url, status), status, inTheWay ?? null, told.data?.details);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
