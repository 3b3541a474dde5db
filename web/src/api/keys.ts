import type { InstanceFilterName, InstanceOrder } from "@web-tester/contracts/entities/vocabulary";
/** Keys of the query cache; the first word is the kind, so that all queries of a kind can be refreshed at once. */
export const keys = {
  testObjects: ["testobjects"] as const,
  testObject: (id: string) => ["testobject", id] as const,
  report: (runId: string, group: string | null) => ["report", runId, group] as const,
  carriers: (runId: string, url: string) => ["report", runId, "carriers", url] as const,
  runs: (objectId: string) => ["runs", objectId] as const,
  runDays: (objectId: string, zone: string) => ["runs", objectId, "days", zone] as const,
  /** Every page of every view of an object's instance list. */
  instances: (objectId: string) => ["instances", objectId] as const,
  instancePage: (objectId: string, view: InstanceView, page: number) => ["instances", objectId, view, page] as const,
  /** The first thousand instances of an object, for pickers. */
  instanceChoices: (objectId: string) => ["instance-choices", objectId] as const,
  instance: (id: string) => ["instance", id] as const,
  instancePages: (id: string) => ["instance", id, "pages"] as const,
  snapshot: (id: string) => ["snapshot", id] as const,
  trace: (id: string, asked: object) => ["trace", id, asked] as const,
  snapshotAssets: (id: string) => ["snapshot", id, "assets"] as const,
  /** An edited text of a snapshot, by its key in session storage. */
  editedPreview: (id: string, key: string) => ["edited-preview", id, key] as const,
  diff: (query: Record<string, unknown>) => ["diff", query] as const,
  beside: (query: Record<string, unknown>) => ["diff", "beside", query] as const,
  fileDiff: (query: Record<string, unknown>) => ["diff", "file", query] as const,
  pagesOfFile: (objectId: string, hash: string) => ["instances", objectId, "of-file", hash] as const,
  changedFiles: (objectId: string, days: number | string) => ["instances", objectId, "changed-files", days] as const,
  /** The pairs of a bulk diff, either those that differ or those that are skipped. */
  bulkDiff: (objectId: string, idx1: number, idx2: number, part: "differing" | "skipped") =>
    ["bulk-diff", objectId, idx1, idx2, part] as const,
  changes: (objectId: string, days: number | string) => ["instances", objectId, "changes", days] as const,
  lifecycle: (objectId: string, kind: string) => ["lifecycle", objectId, kind] as const,
  schedules: (objectId: string) => ["schedules", objectId] as const,
  schedulePreview: (objectId: string, body: object) => ["schedule-preview", objectId, body] as const,
  telling: ["telling"] as const,
  channels: ["telling", "channels"] as const,
  routes: ["telling", "routes"] as const,
  feeds: ["telling", "feeds"] as const,
  checks: (objectId: string | null) => ["checks", objectId] as const,
  badge: (objectId: string) => ["checks", objectId, "badge"] as const,
  deliveries: (state: string | null) => ["telling", "deliveries", state] as const,
  upcoming: ["upcoming"] as const,
  allSchedules: ["schedules", "all"] as const,
  allDays: (zone: string) => ["days", zone] as const,
  rules: (objectId: string) => ["rules", objectId] as const,
  suggestions: (query: Record<string, unknown>) => ["rules", "suggested", query] as const,
  review: (runId: string) => ["review", runId] as const,
  reviewPages: (runId: string, filter: Record<string, unknown>) => ["review", runId, "pages", filter] as const,
  visual: (a: string, b: string) => ["visual", a, b] as const,
  config: ["config"] as const,
  session: ["session"] as const,
  tokens: ["tokens"] as const,
  audit: (filter: Record<string, unknown>) => ["audit", filter] as const,
  shares: (of: Record<string, unknown>) => ["shares", of] as const,
  shared: ["shared"] as const,
  stats: ["stats"] as const,
  imports: ["imports"] as const,
  live: (objectId: string) => ["live", objectId] as const,
};

/** The filter and order of an instance list: `status` all unless set, `q` a part of name or URL. */
export interface InstanceView {
  status?: InstanceFilterName | undefined;
  q?: string | undefined;
  sort?: InstanceOrder | undefined;
}
