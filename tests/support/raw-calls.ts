import { api, type Endpoint, type EndpointName } from "@web-tester/contracts/api";
import { errorBody, type ErrorBody } from "@web-tester/contracts/entities/error-body";
import type { Product } from "./product.js";

/** An answer as it was received. */
export interface Answer {
  status: number;
  text: string;
}

/** One call as a careless program would send it, without any checks. */
export interface RawCall {
  method: string;
  path: string;
  body?: string | Buffer | undefined;
  headers?: Record<string, string>;
}

/** Every row of the endpoint table, without the types that would keep a test from sending wrong input on purpose. */
export const endpoints: readonly (Endpoint & { name: EndpointName })[] = Object.entries(api).map(([name, row]) => ({
  ...(row as Endpoint),
  name: name as EndpointName,
}));

const json = { "content-type": "application/json" };

export async function send(product: Product, { method, path, body, headers = json }: RawCall): Promise<Answer> {
  const response = await fetch(product.address + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, text: await response.text() };
}

/**
 * Parses a refusal.
 * @throws where it does not have the form of all failed calls, contains another status, or is no sentence
 */
export function readRefusal({ status, text }: Answer): ErrorBody {
  const body = errorBody.parse(JSON.parse(text));
  if (body.status !== status) throw new Error(`HTTP ${status} says it is ${body.status}: ${text}`);
  if (!/^\S.{15,}[.]$/s.test(body.message) || /\bat .+:\d+:\d+|\[object|undefined/.test(body.message))
    throw new Error(`No sentence for a person: ${text}`);
  return body;
}

/** The path of a row with its id filled in, or with the name of an asset that does not exist. */
export function pathOf(row: Endpoint, id: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  const path = row.path.replace("{id}", encodeURIComponent(id)).replace("{local_path}", `${"00".repeat(32)}.png`);
  return path + (search === "" ? "" : `?${search}`);
}

/** The number of rows of each table, and a digest of the objects. */
export async function tableState({ db }: Product): Promise<Record<string, string>> {
  const tables = ["test_object", "run", "test_instance", "test_snapshot", "change", "crawl_page"];
  const [row] = await db.query<Record<string, string>>(
    // the product itself adds contents for its search, shortly after pages were stored
    `SELECT ${tables.map((name) => `(SELECT count(*) FROM ${name}) AS ${name}`).join(", ")},
       (SELECT count(*) FROM content WHERE hash IN (SELECT content_hash FROM test_snapshot)) AS content, (SELECT md5(string_agg(o::text, '' ORDER BY id)) FROM test_object o) AS objects`,
  );
  if (row === undefined) throw new Error("The tables cannot be counted");
  return row;
}
