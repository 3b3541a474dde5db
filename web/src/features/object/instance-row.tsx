import { ActionIcon } from "@mantine/core";
import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import { IconTrash } from "@tabler/icons-react";
import { memo } from "react";
import { Link } from "react-router";
import { formatDate } from "../../ui/format/dates.js";
import { counted, pathOf, readable } from "../../ui/format/words.js";
import { SnapshotTicks } from "../../ui/history/history.js";
import { failureStatus } from "../../ui/status/snapshot-status.js";
import { Thumbnail } from "../../ui/thumbnail/thumbnail.js";
import { ChangeFigures } from "../../ui/status/change-figures.js";
import { StatusBadge } from "../../ui/status/status.js";
import { t } from "../../texts/text.js";
import classes from "./instances.module.css";

const lifecycleWords = { gone: "gone", unlinked: "no longer linked", moved: "moved" } as const;

/** One page of the site with its newest state; the row is its link. */
export const InstanceRow = memo(function InstanceRow({
  instance,
  siteUrl,
  disabled,
  onDelete,
}: {
  instance: TestInstanceListItem;
  siteUrl: string;
  disabled: boolean;
  onDelete: (instance: TestInstanceListItem) => void;
}) {
  const label = readable(instance.name || instance.url || instance.id);
  const path = pathOf(instance.url, siteUrl);
  return (
    <div className={classes["row"]}>
      <Link to={`/instances/${instance.id}`} className={classes["cover"]} data-row aria-label={label} />
      <span className={classes["thumb"]}>
        <Thumbnail address={instance.thumbnail} label="" />
      </span>
      <div className={classes["names"]}>
        <span className={`truncate ${classes["name"]}`} title={label}>
          {label}
        </span>
        <Path path={path} />
      </div>
      <div className={classes["status"]} title={instance.error ?? undefined}>
        <StatusBadge status={instance.status} detail={failureStatus(instance.status, instance.http_status)} />
        {instance.status === "changed" && (
          <ChangeFigures
            added={instance.lines_added}
            removed={instance.lines_removed}
            files={instance.files_changed}
            facts={instance.facts_changed}
            changes={instance.changes}
            ignored={instance.ignored}
          />
        )}
      </div>
      <div className={classes["ticks"]}>
        <SnapshotTicks history={instance.history} />
      </div>
      <div className={classes["counts"]}>
        <span>{counted(instance.snapshots_total, "snapshot")}</span>
        {instance.lifecycle === null ? (
          <span className={classes["date"]}>{formatDate(instance.last_snapshot_at)}</span>
        ) : (
          <span className={classes["date"]} title={t("Since {at}", { at: formatDate(instance.lifecycle_at) })}>
            {t(lifecycleWords[instance.lifecycle])}
          </span>
        )}
      </div>
      <ActionIcon
        variant="subtle"
        className={classes["delete"]}
        aria-label={t("Delete {label}", { label })}
        title={t("Delete")}
        disabled={disabled}
        onClick={() => onDelete(instance)}
      >
        <IconTrash size={16} stroke={1.75} aria-hidden />
      </ActionIcon>
    </div>
  );
});

/** A path that gives way in its middle: the end, where paths differ, always stays. */
function Path({ path }: { path: string }) {
  const cut = path.length > 24 ? path.lastIndexOf("/", path.length - 2) : 0;
  const tail = path.length - cut > 34 ? path.length - 34 : Math.max(cut, 0);
  return (
    <span className={`mono ${classes["path"]}`} title={path}>
      <span className={classes["pathHead"]}>{path.slice(0, tail)}</span>
      <span className={classes["pathTail"]}>{path.slice(tail)}</span>
    </span>
  );
}
