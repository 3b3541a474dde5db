import type { TestInstance, TestSnapshotSummary } from "@web-tester/contracts/entities";
import { IconAlertTriangleFilled } from "@tabler/icons-react";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { chartOf } from "./chart.js";
import classes from "./instance-rail.module.css";

/** Lines added and removed per snapshot: the shape of a page's life at a glance; each number is in the timeline too. */
export function ChangesCard({ snapshots }: { snapshots: readonly TestSnapshotSummary[] }) {
  if (snapshots.length < 2) return null;
  const columns = chartOf(snapshots, 14, 38, 20);
  return (
    <Card title="Changes over time" aside="lines per snapshot">
      <div className={classes["chart"]} aria-hidden>
        {columns.map((column) => (
          <div
            key={column.id}
            className={classes["column"]}
            title={`#${column.number}, ${formatDate(column.createdAt)}: +${column.added} −${column.removed}`}
          >
            <span className={classes["up"]}>
              {column.failed ? (
                <IconAlertTriangleFilled size={13} data-icon data-tone="failed" />
              ) : column.up > 0 ? (
                <i style={{ height: column.up }} />
              ) : null}
            </span>
            <span className={classes["down"]} data-quiet={column.up + column.down === 0 || undefined}>
              {column.down > 0 && <i style={{ height: column.down }} />}
            </span>
            <span className={`mono ${classes["tick"]}`} data-latest={column === columns.at(-1) || undefined}>
              {column.number}
            </span>
          </div>
        ))}
      </div>
      <p className={classes["legend"]}>
        <span>
          <i data-side="added" /> Added
        </span>
        <span>
          <i data-side="removed" /> Removed
        </span>
        <span>
          <IconAlertTriangleFilled size={12} aria-hidden data-icon data-tone="failed" /> Failed
        </span>
      </p>
    </Card>
  );
}

/** What is known about the page itself. */
export function DetailsCard({
  instance,
  snapshots,
}: {
  instance: TestInstance;
  snapshots: readonly TestSnapshotSummary[];
}) {
  const finalUrl = snapshots.find((snapshot) => snapshot.final_url !== null)?.final_url ?? null;
  const changes = snapshots.filter((snapshot) => snapshot.change === "changed").length;
  const rows: readonly [string, string, string?][] = [
    ["First seen", formatDate(instance.created_at)],
    ["Last snapshot", formatDate(snapshots[0]?.created_at)],
    ["Final URL", finalUrl === null ? "-" : finalUrl === instance.url ? "unchanged" : finalUrl, finalUrl ?? undefined],
    ["Changes", `${changes} in ${counted(snapshots.length, "snapshot")}`],
  ];
  return (
    <Card title="Details">
      <dl className={classes["details"]}>
        {rows.map(([label, value, title]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="truncate" title={title}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
