import fc from "fast-check";

/** A JSON Schema as contained in OpenAPI documents. */
export type Schema = Readonly<Record<string, unknown>>;

/** Texts that often break parsers. */
const hostile = [
  "",
  " ",
  "\0",
  "é",
  "\ud800",
  "👩‍👩‍👧",
  "'; DROP TABLE run; --",
  "%00%ff%zz",
  "../../etc/passwd",
  "[object Object]",
  "null",
  "NaN",
  "-1",
  "1e309",
  "9".repeat(40),
  "x".repeat(5_000),
  "<script>alert(1)</script>",
];

/** What a schema cannot say: existing ids, and values of a field by its name. */
export interface Known {
  ids: fc.Arbitrary<string>;
  fields?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

/** Generates values that a schema allows, including the ends of ranges. */
export function fromSchema(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  const variants = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(variants)) return fc.oneof(...variants.map((variant: Schema) => fromSchema(variant, known)));
  const whole = (name: string, otherwise: number) => (typeof schema[name] === "number" ? schema[name] : otherwise);
  switch (schema["type"]) {
    case "integer":
      return fc.integer({
        min: Math.max(whole("minimum", -1_000), -(2 ** 31)),
        max: Math.min(whole("maximum", 1_000), 2 ** 31 - 1),
      });
    case "number":
      return fc.double({ min: whole("minimum", -10), max: whole("maximum", 10), noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(fromSchema((schema["items"] ?? {}) as Schema, known), {
        maxLength: Math.min(whole("maxItems", 4), 4),
      });
    case "object":
      return fromObject(schema, known);
    case "string":
      return fromText(schema, known.ids, whole("minLength", 0), Math.min(whole("maxLength", 60), 60));
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function fromText(
  schema: Schema,
  ids: fc.Arbitrary<string>,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<string> {
  if (schema["format"] === "uuid") return ids;
  if (schema["format"] === "date-time")
    return fc
      .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (typeof schema["pattern"] === "string") return fc.stringMatching(new RegExp(schema["pattern"]));
  return fc.string({ minLength, maxLength, unit: "grapheme" });
}

function fromObject(schema: Schema, known: Known): fc.Arbitrary<Record<string, unknown>> {
  const required = (schema["required"] ?? []) as string[];
  const fields = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  return fc.record(
    Object.fromEntries(fields.map(([name, field]) => [name, known.fields?.[name] ?? fromSchema(field, known)])),
    {
      requiredKeys: required,
    },
  );
}

/** Generates values that a schema may or may not allow. */
export function hostileValue(): fc.Arbitrary<unknown> {
  return fc.oneof(fc.constantFrom(...hostile), fc.jsonValue({ maxDepth: 3 }), fc.integer(), fc.constant(undefined));
}
