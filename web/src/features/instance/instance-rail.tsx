import type { TestInstance } from "@web-tester/contracts/entities/instance";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { Button } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconAlertTriangleFilled, IconLayoutColumns } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { StoredFrame } from "../../ui/frame/stored-frame.js";
import { windowOf } from "../../ui/frame/window-frame.js";
import { Card } from "../../ui/layout/card.js";
import { type Label, t } from "../../texts/text.js";
import { chartOf } from "./chart.js";
import { loadedBy } from "./snapshot-card.js";
import classes from "./instance-rail.module.css";

/** A chart of lines added and removed per snapshot: the history of a page at a glance; the numbers are in the timeline too. */
export function ChangesCard({ snapshots }: { snapshots: readonly TestSnapshotSummary[] }) {
  if (snapshots.length < 2) return null;
  const columns = chartOf(snapshots, 14, 38, 20);
  return (
    <Card title={t("Changes over time")} aside={t("lines per snapshot")}>
      <div className={classes["chart"]} aria-hidden>
        {columns.map((column) => (
          <Column key={column.id} column={column} isLatest={column === columns.at(-1)} />
        ))}
      </div>
      <p className={classes["legend"]}>
        <span>
          <i data-side="added" /> {t("Added")}
        </span>
        <span>
          <i data-side="removed" /> {t("Removed")}
        </span>
        <span>
          <IconAlertTriangleFilled size={12} aria-hidden data-icon data-tone="failed" /> {t("Failed")}
        </span>
      </p>
    </Card>
  );
}

type ChartColumn = ReturnType<typeof chartOf>[number];

function Column({ column, isLatest }: { column: ChartColumn; isLatest: boolean }) {
  return (
    <div
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
      <span className={`mono ${classes["tick"]}`} data-latest={isLatest || undefined}>
        {column.isNumbered && column.number}
      </span>
    </div>
  );
}

/** The most of the viewport's height that is shown, as a share of its width: a phone's viewport is taller than the card. */
const shownMax = 1.2;

interface Props {
  instance: TestInstance;
  snapshots: readonly TestSnapshotSummary[];
}

/** A small preview of the page as it looked last. */
export function LatestPreviewCard({ instance, snapshots }: Props) {
  const { ref, width } = useElementSize();
  const frame = useLoadedOnce(instance.preview);
  if (frame === null) return null;
  const window = windowOf(frame.viewport);
  const height = Math.min(window.height, window.width * shownMax);
  const scale = width / window.width;
  const after = snapshots.findIndex(({ id }) => id === frame.snapshot_id);
  const previous = snapshots.slice(after + 1).find((one) => one.assets_total > one.assets_missing);
  return (
    <Card title={t("Latest preview")} aside={`#${frame.number}`}>
      <Link
        to={`/snapshots/${frame.snapshot_id}/render`}
        className={classes["preview"]}
        aria-label={t("Snapshot {number} as it looked", { number: String(frame.number) })}
        style={{ height: height * scale }}
        ref={ref}
      >
        <div style={{ width: window.width, height: window.height, transform: `scale(${scale})` }} inert>
          <StoredFrame
            address={frame.render}
            title={t("Snapshot {number} as it looked", { number: String(frame.number) })}
          />
        </div>
      </Link>
      {previous !== undefined && (
        <Button
          component={Link}
          to={`/diff/visual?a=${previous.id}&b=${frame.snapshot_id}`}
          variant="default"
          fullWidth
          leftSection={<IconLayoutColumns size={15} aria-hidden />}
        >
          {t("Visual diff with #{number}", { number: String(previous.number) })}
        </Button>
      )}
    </Card>
  );
}

/** Keeps the first address of a preview, because every read signs it again and the page would be loaded again. */
function useLoadedOnce(shown: TestInstance["preview"]): TestInstance["preview"] {
  const [frame, setFrame] = useState(shown);
  if (frame?.snapshot_id !== shown?.snapshot_id) setFrame(shown);
  return frame;
}

/** A card with facts about the page itself. */
export function DetailsCard({ instance, snapshots }: Props) {
  const finalUrl = snapshots.find((snapshot) => snapshot.final_url !== null)?.final_url ?? null;
  const changes = snapshots.filter((snapshot) => snapshot.change === "changed").length;
  const looked = counted(snapshots.length, "snapshot");
  const { fetch_mode: mode } = instance.testobject;
  const used = snapshots.find((snapshot) => snapshot.fetch_mode_used !== null)?.fetch_mode_used ?? null;
  const howLoaded =
    mode !== "auto" ? t(loadedBy[mode]) : used === null ? t("auto") : t("auto ({how})", { how: t(loadedBy[used]) });
  const rows: readonly [Label, string, string?][] = [
    ["First seen", formatDate(instance.created_at)],
    ["Last snapshot", formatDate(snapshots[0]?.created_at)],
    ["Fetch mode", howLoaded],
    [
      "Final URL",
      finalUrl === null ? "-" : finalUrl === instance.url ? t("unchanged") : finalUrl,
      finalUrl ?? undefined,
    ],
    // older snapshots are not loaded before the reader scrolls to them
    [
      "Changes",
      snapshots.length < instance.snapshots_total
        ? t("{changes} in the newest {snapshots}", { changes, snapshots: looked })
        : t("{changes} in {snapshots}", { changes, snapshots: looked }),
    ],
  ];
  return (
    <Card title={t("Details")}>
      <dl className={classes["details"]}>
        {rows.map(([label, value, title]) => (
          <div key={label}>
            <dt>{t(label)}</dt>
            <dd className="truncate" title={title}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
