import { AppError } from "@web-tester/contracts/errors";
import { z } from "zod";
import { about, configFields } from "./variables.js";

const configSchema = configFields
  .superRefine(({ oidcIssuer, oidcClientId }, context) => {
    if (oidcIssuer !== undefined && oidcClientId === undefined)
      context.addIssue({
        ...{ code: "custom", path: ["oidcClientId"], params: { worded: true } },
        message: "write the client's id there, because OIDC_ISSUER is set",
      });
  })
  .transform((fields) => ({
    ...fields,
    egressPrivate: fields.egressPrivate ?? (fields.mode === "embedded" ? ("own-host" as const) : ("deny" as const)),
  }));

/** The configuration of a service, read from its environment; {@link configVariables} describes each field. Never log it whole. */
export type Config = z.infer<typeof configSchema>;

/** One variable of the environment, for documentation. `initial`: its default as text, null when it has none. */
export interface ConfigVariable {
  name: string;
  description: string;
  write: string;
  initial: string | null;
  required: boolean;
  secret: boolean;
}

/** One fault in the environment. */
interface ConfigFault {
  variable: string;
  message: string;
}

/**
 * Reads the configuration from environment variables. A variable that is empty counts as unset; unknown ones are ignored.
 * @throws AppError invalid_input naming every faulty variable, what is wrong with it and what to write, on one line; its
 *   `details` are {@link ConfigFault}s. Values of secret variables appear in neither.
 */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const given: Record<string, string> = {};
  for (const field of Object.keys(configFields.shape)) {
    const value = env[variableName(field)]?.trim();
    if (value !== undefined && value !== "") given[field] = value;
  }
  const parsed = configSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw faulty(faultsOf(parsed.error, given));
}

/**
 * The key for sealed secrets.
 * @throws AppError invalid_input when `SECRET_KEY` is not set
 */
export function requireSecretKey(config: Pick<Config, "secretKey">): Buffer {
  if (config.secretKey !== undefined) return config.secretKey;
  const { write } = aboutField("secretKey");
  throw faulty([{ variable: "SECRET_KEY", message: `SECRET_KEY is not set: write ${write}` }]);
}

/** Every variable in the order of the documentation. */
export const configVariables: readonly ConfigVariable[] = Object.entries(configFields.shape).map(([field, schema]) => {
  const { description, write, secret } = aboutField(field);
  return {
    name: variableName(field),
    description,
    write,
    initial: schema instanceof z.ZodDefault ? String(schema.def.defaultValue) || null : null,
    required: !schema.safeParse(undefined).success,
    secret: secret === true,
  };
});

/** Faults in the order of the fields, one per variable even if several things are wrong with it. */
function faultsOf(error: z.ZodError, given: Record<string, string>): ConfigFault[] {
  const faults = new Map<string, ConfigFault>();
  for (const issue of error.issues) {
    const field = String(issue.path[0]);
    if (faults.has(field)) continue;
    const variable = variableName(field);
    const { write, secret } = aboutField(field);
    const worded = issue.code === "custom" && issue.params?.["worded"] === true;
    faults.set(field, {
      variable,
      message: worded ? `${variable}: ${issue.message}` : `${variable} ${state(given[field], secret)}: write ${write}`,
    });
  }
  return [...faults.values()];
}

function state(value: string | undefined, secret: true | undefined): string {
  if (value === undefined) return "is not set";
  if (secret) return "is not valid (its value is secret and not shown)";
  return `is ${JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)}`;
}

function faulty(faults: ConfigFault[]): AppError {
  const heading =
    faults.length === 1 ? "The configuration has a fault" : `The configuration has ${faults.length} faults`;
  return new AppError("invalid_input", `${heading}. ${faults.map((fault) => fault.message).join(". ")}.`, {
    details: faults,
  });
}

function aboutField(field: string) {
  const schema = Object.entries(configFields.shape).find(([name]) => name === field)?.[1];
  const text = schema && about.get(schema);
  if (text === undefined)
    throw new AppError("internal", `The configuration field ${field} is not described: describe it in variables.ts.`);
  return text;
}

/** `dataDir` → `DATA_DIR` */
function variableName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
