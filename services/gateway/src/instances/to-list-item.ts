import type { TestInstanceListItem } from "@web-tester/contracts/entities";
import { statusAt, toTick } from "../rows/snapshot-status.js";
import type { InstanceRow } from "./select-instances.sql.js";

export function toListItem({
  created_at,
  last_snapshot_at,
  status,
  history,
  ...row
}: InstanceRow): TestInstanceListItem {
  return {
    ...row,
    created_at: created_at.toISOString(),
    status: statusAt(status),
    last_snapshot_at: last_snapshot_at?.toISOString() ?? null,
    history: history.map(toTick).reverse(),
  };
}
