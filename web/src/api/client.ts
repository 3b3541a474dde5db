import {
  api,
  type BodyInput,
  type EndpointName,
  type Params,
  type QueryInput,
  type Response as Answer,
} from "@web-tester/contracts/api";
import { t } from "../texts/text.js";
import { answerSchema } from "./answer-schema.js";
import { authHeaders, noteRefused } from "./api-auth.js";
import { ApiError, readError } from "./api-error.js";
import { takeEarlyAnswer } from "./early-answers.js";
import { originOf } from "./origin.js";
import { requestPath } from "./request.js";
import { watched } from "./silence.js";

export interface Parts<N extends EndpointName> {
  params?: Params<N>;
  query?: QueryInput<N>;
  body?: BodyInput<N>;
  signal?: AbortSignal;
}

/**
 * Calls an endpoint of the table by name; the answer has been parsed by the row's schema.
 * @throws {ApiError} for every answer that is not OK, and with status 0 where none came.
 */
export async function call<N extends EndpointName>(name: N, parts: Parts<N> = {}): Promise<Answer<N>> {
  return callAt(await apiOrigin(), name, parts);
}

/**
 * Calls an endpoint whose answer is read as a stream.
 * @throws {ApiError} as `call` does
 */
export async function open<N extends EndpointName>(name: N, parts: Parts<N>): Promise<Response> {
  const { answer } = await ask(await apiOrigin(), name, parts);
  if (!answer.ok) throw readError(answer.status, answer.statusText, await answer.text());
  return answer;
}

async function callAt<N extends EndpointName>(origin: string, name: N, parts: Parts<N>): Promise<Answer<N>> {
  const { answer, path } = await ask(origin, name, parts);
  const text = await answer.text();
  if (!answer.ok) throw readError(answer.status, answer.statusText, text);
  return parseAnswer(name, text, path);
}

async function ask<N extends EndpointName>(
  origin: string,
  name: N,
  parts: Parts<N>,
): Promise<{ answer: Response; path: string }> {
  const row = api[name];
  const path = requestPath(row.path, { ...parts.params }, { ...parts.query });
  const init: RequestInit = {
    method: row.method,
    headers: { "Content-Type": "application/json", Accept: "application/json", ...authHeaders() },
  };
  if (parts.signal !== undefined) init.signal = parts.signal;
  if (row.method !== "GET" && row.method !== "DELETE") init.body = JSON.stringify(parts.body ?? {});
  const answer = await send(`${origin}${path}`, init);
  if (answer.status === 401) noteRefused();
  return { answer, path };
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await watched((init.method === "GET" ? takeEarlyAnswer(url) : undefined) ?? fetch(url, init));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", t("The server did not answer. Check that it is running, then try again."));
  }
}

function parseAnswer<N extends EndpointName>(name: N, text: string, path: string): Answer<N> {
  try {
    // The row's own schema parsed this value; TypeScript cannot follow a generic name through the table.
    return answerSchema(name).parse(text === "" ? undefined : JSON.parse(text)) as Answer<N>;
  } catch (error) {
    console.error(`The answer of ${path} has not the shape that was agreed`, error);
    throw new ApiError(
      200,
      "unexpected_answer",
      t("The server's answer to {path} was not understood. Reload the page; it may be older than the server.", {
        path,
      }),
    );
  }
}

async function findOrigin(): Promise<string> {
  try {
    return originOf(await callAt(location.origin, "getConfig", {}), location);
  } catch {
    // No configuration is served here (by a development server, for example): the build's address, else this page's own.
    return import.meta.env.VITE_API_BASE ?? location.origin;
  }
}

let origin: Promise<string> | undefined;

/** The origin of the API, found once: from /config.json, else a build variable, else the page's own. Source: specification §7. */
export function apiOrigin(): Promise<string> {
  origin ??= findOrigin();
  return origin;
}
