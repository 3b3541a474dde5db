import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";

type Listed = Pick<TestInstanceListItem, "id" | "name" | "url" | "snapshots_total" | "history">;

const comparable = new Set(["first", "unchanged", "changed", "fetched"]);

/**
 * The choices of snapshots that can be compared, newest first per instance, labelled by instance name, "#" and number (specification
 * §2).
 */
export function snapshotChoices(instances: readonly Listed[]): { value: string; label: string }[] {
  return instances.flatMap((instance) => {
    const before = instance.snapshots_total - instance.history.length;
    return instance.history
      .map((tick, index) => ({ tick, label: `${instance.name || instance.url || instance.id} #${before + index + 1}` }))
      .filter(({ tick }) => comparable.has(tick.status))
      .map(({ tick, label }) => ({ value: tick.snapshot_id, label }))
      .toReversed();
  });
}
