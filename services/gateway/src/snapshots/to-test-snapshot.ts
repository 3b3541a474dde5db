import type { Sign } from "../http/actor.js";
import type { TestSnapshot, TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { fetchModeUsed, snapshotState } from "@web-tester/contracts/entities/vocabulary";
import type { RemovalRow } from "@web-tester/records/removals/plan-removal";
import { toRemoval } from "../http/to-removal.js";
import { thumbnailAddress } from "../assets/asset-address.js";
import type { SnapshotRow, WholeSnapshotRow } from "./select-snapshots.sql.js";
import { shownViewport } from "./shown-viewport.js";
import { changeOf } from "./snapshot-status.js";

// made once, because making a schema costs more than using it
const fetchModeUsedOrNone = fetchModeUsed.nullable();

/**
 * Converts a row to a snapshot as lists show it.
 * @param sign signs the API's addresses
 */
export function toSummary(row: SnapshotRow, sign: Sign): TestSnapshotSummary {
  return {
    id: row.id,
    testinstance_id: row.test_instance_id,
    number: row.number,
    created_at: row.created_at.toISOString(),
    fetched_at: row.fetched_at?.toISOString() ?? null,
    state: snapshotState.parse(row.state),
    change: changeOf(row),
    lines_added: row.lines_added,
    lines_removed: row.lines_removed,
    files_changed: row.files_changed,
    facts_changed: row.facts_changed,
    compared_with: row.compared_with,
    coarse: row.coarse,
    http_status: row.http_status,
    final_url: row.final_url,
    html_bytes: row.html_bytes,
    html_sha256: row.hash,
    error_code: row.error_code,
    error: row.error,
    warning: row.warning,
    attempts: row.attempts,
    duration_ms: row.duration_ms,
    fetch_mode_used: fetchModeUsedOrNone.parse(row.fetch_mode_used),
    assets_total: row.assets_total,
    assets_missing: row.assets_missing,
    thumbnail: row.hash === null ? null : thumbnailAddress(row.id, sign),
  };
}

/**
 * Converts a row to a snapshot with all details.
 * @param html decoded text, empty where nothing was fetched
 * @param render address at which the page is shown
 * @param removal the pending deletion of the snapshot
 */
export function toTestSnapshot(
  row: WholeSnapshotRow,
  { html, render, removal }: { html: string; render: string | null; removal: RemovalRow | null },
  sign: Sign,
): TestSnapshot {
  return {
    ...toSummary(row, sign),
    html,
    headers: JSON.stringify(row.headers ?? {}),
    redirects: row.redirects ?? [],
    charset: row.charset,
    taken_with: row.taken_with,
    viewport: shownViewport(row.taken_with, row.object_viewport),
    changed_files: row.changed_files ?? [],
    changed_facts: row.changed_facts ?? [],
    render,
    testinstance: { id: row.test_instance_id, name: row.instance_name, url: row.instance_url },
    testobject: { id: row.object_id, name: row.object_name, asset_snapshots: row.asset_snapshots },
    removal: removal === null ? null : toRemoval(removal),
  };
}
