import { expect, test } from "@jest/globals";
import { api } from "@web-tester/contracts/api";
import { z } from "zod";
import { successStatus } from "./endpoint-facts.js";
import { openApiDocument } from "./openapi.js";

const document = openApiDocument(api, successStatus);

const shape = z.object({
  openapi: z.literal("3.1.0"),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        parameters: z.array(z.object({ name: z.string(), in: z.string(), required: z.boolean(), schema: z.unknown() })),
        requestBody: z.unknown().optional(),
        responses: z.record(z.string(), z.unknown()),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

test("has every endpoint of the table once, with its status of success", () => {
  const { paths } = shape.parse(document);
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(operations.map((operation) => operation.operationId).sort()).toEqual(Object.keys(api).sort());
  for (const [name, row] of Object.entries(api))
    expect(Object.keys(paths[row.path]?.[row.method.toLowerCase()]?.responses ?? {})).toContain(
      String(successStatus(name)),
    );
});

test("says of each call what is answered before any handler sees it", () => {
  for (const operation of Object.values(shape.parse(document).paths).flatMap((path) => Object.values(path)))
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(["400", "408", "429", "431", "500", "503"]),
    );
});

test("every reference leads to a component, and none is left as a definition of its own", () => {
  const { components } = shape.parse(document);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? "");
  expect(references.length).toBeGreaterThan(20);
  for (const reference of references)
    expect(Object.keys(components.schemas)).toContain(reference.replace("#/components/schemas/", ""));
  expect(JSON.stringify(document)).not.toContain("$defs");
});

test("shows inputs as a caller writes them", () => {
  const { paths } = shape.parse(document);
  const list = paths["/api/testobjects/{id}/testinstances"]?.["get"];
  expect(list?.parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
    ["id", "path", true],
    ["limit", "query", false],
    ["offset", "query", false],
    ["status", "query", false],
    ["q", "query", false],
    ["sort", "query", false],
  ]);
  expect(JSON.stringify(list?.parameters)).toContain('"type":"integer"');
  expect(paths["/api/testobjects"]?.["post"]?.requestBody).toBeDefined();
  expect(paths["/api/testobjects/{id}/crawl"]?.["post"]?.requestBody).toBeUndefined();
});

test("says what generators of clients understand: lists in place of tuples, no objects as defaults, parts of numbers as numbers", () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain("prefixItems");
  expect(text).toContain('"minItems":2,"maxItems":2');
  expect(text).not.toMatch(/"default":\{"type":/);
  const pictures = shape.parse(document).paths["/api/diff/visual/pictures"]?.["get"];
  expect(JSON.stringify(pictures?.parameters)).toContain('"type":"number"');
});
