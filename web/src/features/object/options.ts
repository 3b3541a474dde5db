import type { AuthType, TestObject } from "@web-tester/contracts/entities";
import type { BodyInput } from "@web-tester/contracts/api";

/** What the options panel edits. `secret` is what was typed: the stored one never comes back. */
export interface Options {
  readonly exclude: string;
  readonly enabled: boolean;
  readonly type: AuthType;
  readonly user: string;
  readonly secret: string;
}

export const optionsOf = (
  object: Pick<TestObject, "exclude_list" | "auth_enabled" | "auth_type" | "auth_username">,
): Options => ({
  exclude: object.exclude_list.join("\n"),
  enabled: object.auth_enabled,
  type: object.auth_type,
  user: object.auth_username,
  secret: "",
});

/** Exclude patterns: one per line, trimmed, empty lines dropped. Source: specification §5. */
export const patternsOf = (text: string): string[] =>
  text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The change to send. A secret that was not typed is left out and so stays; another kind of protection needs its own. */
export function optionsPatch(options: Options, stored: Pick<TestObject, "auth_type">): BodyInput<"updateTestObject"> {
  const patch: BodyInput<"updateTestObject"> = {
    auth_enabled: options.enabled,
    auth_type: options.type,
    auth_username: options.type === "bearer" ? "" : options.user.trim(),
    exclude_list: patternsOf(options.exclude),
  };
  if (options.secret !== "" || options.type !== stored.auth_type) patch.auth_password = options.secret;
  return patch;
}

export const sameOptions = (a: Options, b: Options): boolean =>
  a.enabled === b.enabled &&
  a.type === b.type &&
  a.user === b.user &&
  a.secret === b.secret &&
  patternsOf(a.exclude).join("\n") === patternsOf(b.exclude).join("\n");

/** The options in a few words, for the closed panel. */
export function optionsSummary(object: Pick<TestObject, "auth_enabled" | "auth_type" | "exclude_list">): string {
  const names = { basic: "Basic auth", bearer: "Bearer token", header: "Header auth" } as const;
  const parts = [
    object.auth_enabled ? names[object.auth_type] : "",
    object.exclude_list.length > 0
      ? `${object.exclude_list.length} ${object.exclude_list.length === 1 ? "exclude" : "excludes"}`
      : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}
