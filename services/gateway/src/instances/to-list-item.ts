import type { Sign } from "../http/actor.js";
import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import { thumbnailAddress } from "../assets/asset-address.js";
import { toTick } from "../snapshots/snapshot-status.js";
import type { InstanceRow } from "./select-instances.sql.js";

/**
 * Converts a row to an item of the list of instances.
 * @param sign signs the API's addresses
 */
export function toListItem(row: InstanceRow, sign: Sign): TestInstanceListItem {
  // the newest snapshot that changed; a newer one may have been created without being fetched
  const newest = row.status === "changed" ? row.history?.find(({ change }) => change === "changed") : undefined;
  const shown = row.history?.find(({ state }) => state === "done");
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    created_at: new Date(row.created_at).toISOString(),
    snapshots_total: row.snapshots_total,
    status: row.status,
    http_status: row.http_status,
    error: row.error,
    lines_added: row.lines_added,
    lines_removed: row.lines_removed,
    files_changed: newest?.files_changed ?? 0,
    facts_changed: newest?.facts_changed ?? [],
    changes: newest?.changes ?? 0,
    ignored: newest?.ignored ?? 0,
    last_snapshot_at: row.last_snapshot_at === null ? null : new Date(row.last_snapshot_at).toISOString(),
    lifecycle: row.lifecycle,
    lifecycle_at: row.lifecycle_at === null ? null : new Date(row.lifecycle_at).toISOString(),
    changed_at: row.changed_at === null ? null : new Date(row.changed_at).toISOString(),
    size_bytes: row.size_bytes,
    thumbnail: shown === undefined ? null : thumbnailAddress(shown.id, sign),
    history: (row.history ?? []).map(toTick).reverse(),
  };
}
