import { z } from "zod";
import type { EndpointRole } from "../entities/role.js";
import { id } from "../entities/vocabulary.js";
import type { ErrorCode } from "../errors.js";

/**
 * One row of the endpoint table. The gateway's routes, the OpenAPI document and the browser's client are derived from it. Path parameters
 * are written `{name}`. Every value is checked by its schema before a handler sees it.
 */
export interface Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /**
   * The lowest role that may make the call; `public`: anybody may, without a token. A call that is no GET and needs more than a viewer
   * counts as a change, and is written to the audit list.
   */
  readonly role: EndpointRole;
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly response: R;
  readonly errors: readonly ErrorCode[];
  /** Whether the body is a file that the handler reads as a stream: it is not parsed as JSON, and the size limit of other bodies does not apply. */
  readonly streamsBody: boolean;
  /** The content types that such a file may have. */
  readonly reads?: readonly string[];
  /** The content types of an answer that is not, or not always, JSON. */
  readonly produces?: string | readonly string[];
}

const none = z.strictObject({});
const noBody = z.unknown();
export const byId = z.object({ id });

export function endpoint<
  R extends z.ZodType,
  P extends z.ZodType = typeof none,
  Q extends z.ZodType = z.ZodObject,
  B extends z.ZodType = typeof noBody,
>(
  row: Pick<Endpoint, "method" | "role" | "path" | "summary"> & {
    params?: P;
    query?: Q;
    body?: B;
    response: R;
    errors?: readonly ErrorCode[];
    streamsBody?: boolean;
    reads?: readonly string[];
    produces?: string | readonly string[];
  },
): Endpoint<P, Q, B, R> {
  const anyQuery = z.object({});
  return {
    errors: [],
    streamsBody: false,
    ...row,
    params: (row.params ?? none) as P,
    query: (row.query ?? anyQuery) as unknown as Q,
    body: (row.body ?? noBody) as B,
  };
}

/** The answer of a call that starts a run. */
export const started = z.object({ runId: id, total: z.int() }).meta({ id: "Started" });

/** An answer that is not JSON: the handler writes it itself. */
export const rawAnswer = z.void();
