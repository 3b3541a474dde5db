import type { TestObject } from "@web-tester/contracts/entities/object";
import type { AuthType, CrawlScope, FetchMode } from "@web-tester/contracts/entities/vocabulary";
import type { BodyInput } from "@web-tester/contracts/api";

/** What the options panel edits. `secret` is what was typed: the stored one never comes back. */
export interface Options {
  readonly exclude: string;
  readonly assets: boolean;
  readonly enabled: boolean;
  readonly type: AuthType;
  readonly user: string;
  readonly secret: string;
  readonly fetchMode: FetchMode;
  readonly ignoreRobots: boolean;
  readonly delayMs: number;
  readonly scope: CrawlScope;
  readonly prefixes: string;
  readonly dropParams: string;
  readonly pagesMax: number;
  readonly depthMax: number;
  readonly minutesMax: number;
  readonly mibMax: number;
  /** Null: no limit. */
  readonly keepDays: number | null;
  readonly keepSnapshots: number | null;
  readonly keepChangedOnly: boolean;
}

/** The columns of an object that the panel edits. */
export type OptionFields = Pick<
  TestObject,
  | "exclude_list"
  | "asset_snapshots"
  | "auth_enabled"
  | "auth_type"
  | "auth_username"
  | "fetch_mode"
  | "ignore_robots"
  | "request_delay_ms"
  | "scope"
  | "scope_prefixes"
  | "drop_params"
  | "crawl_pages_max"
  | "crawl_depth_max"
  | "crawl_minutes_max"
  | "crawl_mib_max"
  | "keep_days"
  | "keep_snapshots"
  | "keep_changed_only"
>;

export const optionsOf = (object: OptionFields): Options => ({
  exclude: object.exclude_list.join("\n"),
  assets: object.asset_snapshots,
  enabled: object.auth_enabled,
  type: object.auth_type,
  user: object.auth_username,
  secret: "",
  fetchMode: object.fetch_mode,
  ignoreRobots: object.ignore_robots,
  delayMs: object.request_delay_ms,
  scope: object.scope,
  prefixes: object.scope_prefixes.join("\n"),
  dropParams: object.drop_params.join("\n"),
  pagesMax: object.crawl_pages_max,
  depthMax: object.crawl_depth_max,
  minutesMax: object.crawl_minutes_max,
  mibMax: object.crawl_mib_max,
  keepDays: object.keep_days,
  keepSnapshots: object.keep_snapshots,
  keepChangedOnly: object.keep_changed_only,
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
    asset_snapshots: options.assets,
    fetch_mode: options.fetchMode,
    ignore_robots: options.ignoreRobots,
    request_delay_ms: options.delayMs,
    scope: options.scope,
    scope_prefixes: patternsOf(options.prefixes),
    drop_params: patternsOf(options.dropParams),
    crawl_pages_max: options.pagesMax,
    crawl_depth_max: options.depthMax,
    crawl_minutes_max: options.minutesMax,
    crawl_mib_max: options.mibMax,
    keep_days: options.keepDays,
    keep_snapshots: options.keepSnapshots,
    keep_changed_only: options.keepChangedOnly,
  };
  if (options.secret !== "" || options.type !== stored.auth_type) patch.auth_password = options.secret;
  return patch;
}

export const sameOptions = (a: Options, b: Options): boolean =>
  a.enabled === b.enabled &&
  a.assets === b.assets &&
  a.type === b.type &&
  a.user === b.user &&
  a.secret === b.secret &&
  a.fetchMode === b.fetchMode &&
  a.ignoreRobots === b.ignoreRobots &&
  a.delayMs === b.delayMs &&
  a.scope === b.scope &&
  a.pagesMax === b.pagesMax &&
  a.depthMax === b.depthMax &&
  a.minutesMax === b.minutesMax &&
  a.mibMax === b.mibMax &&
  a.keepDays === b.keepDays &&
  a.keepSnapshots === b.keepSnapshots &&
  a.keepChangedOnly === b.keepChangedOnly &&
  patternsOf(a.prefixes).join("\n") === patternsOf(b.prefixes).join("\n") &&
  patternsOf(a.dropParams).join("\n") === patternsOf(b.dropParams).join("\n") &&
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
