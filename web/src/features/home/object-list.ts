import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ObjectProgress } from "@web-tester/contracts/entities/run";
import type { InstanceStatus } from "@web-tester/contracts/entities/vocabulary";
import { t } from "../../texts/text.js";

export type ObjectFilter = "all" | "changed" | "failing";

type Listed = Pick<
  TestObject,
  "name" | "url" | "tags" | "status_counts" | "history" | "snapshots_total" | "instances_total"
> & {
  progress: ObjectProgress;
};

/** The status of an object in one word: what is running now, else the worst of its newest snapshots. */
export function objectStatus(object: Listed): InstanceStatus {
  if (runningBar(object) !== undefined) return "running";
  if (object.status_counts.failed > 0) return "failed";
  if (object.status_counts.changed > 0) return "changed";
  return object.snapshots_total === 0 ? "none" : "unchanged";
}

const bars = [
  ["snapshotAll", "Fetch~noun"],
  ["crawl", "Crawl~noun"],
  ["sitemaps", "Sitemap crawl"],
  ["rules", "Rules"],
  ["deletion", "Deletion"],
] as const;

/** The running operation that a list shows, with its name. */
export function runningBar(
  object: Pick<Listed, "progress">,
): { name: string; completed: number; total: number; failed: number } | undefined {
  for (const [bar, name] of bars) {
    const { running, completed, total, failed } = object.progress[bar];
    if (!running) continue;
    const isSearch = object.progress[bar].kind === "noise";
    return { name: t(isSearch ? "Search for noise" : name), completed, total, failed };
  }
  return undefined;
}

const order: readonly InstanceStatus[] = ["running", "failed", "changed", "unchanged", "none"];

/** Sorts by urgency: running, failed, changed, unchanged, never fetched; equal ones keep their order. */
export const byUrgency = (a: Listed, b: Listed): number =>
  order.indexOf(objectStatus(a)) - order.indexOf(objectStatus(b));

export function matches(object: Listed, filter: ObjectFilter, text: string): boolean {
  if (filter === "changed" && object.status_counts.changed === 0) return false;
  if (filter === "failing" && object.status_counts.failed === 0) return false;
  const wanted = text.normalize("NFC").trim().toLowerCase();
  const words = [object.name, object.url, ...object.tags];
  return wanted === "" || words.some((word) => word.toLowerCase().includes(wanted));
}

export function totalsOf(objects: readonly Listed[]): {
  instances: number;
  changed: number;
  failing: number;
  withChanges: number;
  withFailures: number;
} {
  const sum = (of: (object: Listed) => number) => objects.reduce((total, object) => total + of(object), 0);
  return {
    instances: sum((object) => object.instances_total),
    changed: sum((object) => object.status_counts.changed),
    failing: sum((object) => object.status_counts.failed),
    withChanges: sum((object) => (object.status_counts.changed > 0 ? 1 : 0)),
    withFailures: sum((object) => (object.status_counts.failed > 0 ? 1 : 0)),
  };
}
