import type { Endpoint } from "@web-tester/contracts/api";
import { errorBody } from "@web-tester/contracts/entities/error-body";
import { type ErrorCode, errorCodes } from "@web-tester/contracts/errors";
import { productVersion } from "@web-tester/contracts/version";
import { z } from "zod";

/** A JSON object; OpenAPI documents consist of these. */
export type JsonObject = Record<string, unknown>;

/** The errors that any call can answer with, besides those that its row names. */
const always: readonly ErrorCode[] = [
  // a malformed address, query or body
  "invalid_input",
  "unauthorized",
  "forbidden",
  "forbidden_origin",
  "too_many_requests",
  "internal",
  "unavailable",
];
const withBody: readonly ErrorCode[] = ["invalid_json", "unsupported_media_type", "payload_too_large"];

/**
 * Builds the OpenAPI 3.1 document of an endpoint table. Schemas with an id become components; inputs are described as callers write
 * them, answers as they arrive.
 * @param statusOf HTTP status of success, by endpoint name
 */
export function openApiDocument(
  table: Readonly<Record<string, Endpoint>>,
  statusOf: (name: string) => number,
): JsonObject {
  const schemas: JsonObject = {};
  const paths: Record<string, JsonObject> = {};
  for (const [name, row] of Object.entries(table)) {
    const path = (paths[row.path] ??= {});
    path[row.method.toLowerCase()] = operation(name, row, statusOf(name), schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "web-tester",
      version: productVersion,
      description:
        "Website monitoring and snapshot testing: register a site, find its pages, keep every page over time, see what changed. Calls that change something refuse unknown query parameters; other calls refuse those that look like a misspelt one.",
    },
    servers: [{ url: "/" }],
    security: [{}, { bearer: [] }, { header: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "Required if the server has an API_TOKEN" },
        header: {
          type: "apiKey",
          in: "header",
          name: "X-API-Token",
          description: "The same token; the server may be set to another header name",
        },
      },
    },
  };
}

function operation(name: string, row: Endpoint, status: number, schemas: JsonObject): JsonObject {
  const body = schemaOf(row.body, "input", schemas);
  const hasBody = Object.keys(body).length > 0;
  return {
    operationId: name,
    summary: row.summary,
    ...(row.role === "public"
      ? { description: "No token required.", security: [] }
      : { description: `Requires the role ${row.role} or a higher one.` }),
    "x-role": row.role,
    tags: [row.path.split("/")[2] ?? "server"],
    parameters: [...parametersOf("path", row.params, schemas), ...parametersOf("query", row.query, schemas)],
    ...(row.streamsBody ? { requestBody: { required: true, content: fileOf(row.reads ?? []) } } : {}),
    ...(hasBody ? { requestBody: { required: true, content: { "application/json": { schema: body } } } } : {}),
    responses: {
      [status]: {
        description: "Done",
        content:
          row.produces === undefined
            ? { "application/json": { schema: schemaOf(row.response, "output", schemas) } }
            : fileOf([row.produces].flat()),
      },
      ...errorsOf(
        [
          ...row.errors,
          // a body is parsed even where the call needs none
          ...(row.method === "GET" ? [] : withBody),
          ...always,
        ],
        schemas,
      ),
    },
  };
}

function fileOf(types: readonly string[]): JsonObject {
  return Object.fromEntries(
    types.map((type) => [type, { schema: type === "application/json" ? {} : { type: "string", format: "binary" } }]),
  );
}

function errorsOf(codes: readonly ErrorCode[], schemas: JsonObject): JsonObject {
  const schema = schemaOf(errorBody, "output", schemas);
  const byStatus = Map.groupBy(new Set(codes), (code) => errorCodes[code].http);
  const answer = (description: string) => ({ description, content: { "application/json": { schema } } });
  return {
    ...Object.fromEntries([...byStatus].map(([status, names]) => [status, answer(names.join(", "))])),
    // sent before any handler runs: see broken-requests.ts and body-time.ts
    408: answer("invalid_input: the request did not arrive in time"),
    431: answer("invalid_input: the address and the headers together are too long"),
  };
}

function parametersOf(place: "path" | "query", schema: z.ZodType, schemas: JsonObject): JsonObject[] {
  const { properties, required } = schemaOf(schema, "input", schemas);
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, value]) => ({
    name,
    in: place,
    required: place === "path" || needed.includes(name),
    schema: value,
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: JsonObject): JsonObject {
  // before coercion a value's schema allows anything; callers write what coercion results in
  const {
    $schema: _,
    $defs,
    ...own
  } = z.toJSONSchema(schema, { io, unrepresentable: "any", override: io === "input" ? showCoerced : () => undefined });
  for (const [id, definition] of Object.entries($defs ?? {})) schemas[id] = withRefs(definition);
  const { id } = own;
  if (typeof id === "string") {
    schemas[id] = withRefs(own);
    return { $ref: `#/components/schemas/${id}` };
  }
  const rewritten = withRefs(own);
  return isObject(rewritten) ? rewritten : {};
}

function showCoerced(context: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { def } = context.zodSchema._zod;
  if (def.type !== "number" || !("coerce" in def) || def.coerce !== true) return;
  const isWhole = def.checks?.some((check) => check._zod.def.check === "number_format") === true;
  context.jsonSchema.type = isWhole ? "integer" : "number";
}

/**
 * Makes references point at the document's components, and leaves out defaults that are objects, and ids, which the components have as
 * their names.
 */
function withRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRefs);
  if (!isObject(value)) return value;
  const same = sameItems(value);
  if (same !== null) return withRefs(same);
  return Object.fromEntries(
    Object.entries(value)
      // code generators have no way to write a default that is an object, and leave out fields that have one
      .filter(([key, inner]) => !(key === "id" && typeof inner === "string") && !(key === "default" && isObject(inner)))
      .map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string"
          ? inner.replace("#/$defs/", "#/components/schemas/")
          : withRefs(inner),
      ]),
  );
}

/**
 * Describes a tuple of equal items as a list of fixed length, for code generators that understand only what OpenAPI 3.0 had of JSON
 * Schema; null where the schema is no such tuple.
 */
function sameItems({ prefixItems, ...schema }: JsonObject): JsonObject | null {
  if (!Array.isArray(prefixItems)) return null;
  const [items, ...others]: unknown[] = prefixItems;
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(items))) return null;
  return { ...schema, items, minItems: prefixItems.length, maxItems: prefixItems.length };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
