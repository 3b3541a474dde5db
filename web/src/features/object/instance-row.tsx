import { ActionIcon } from "@mantine/core";
import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import type { InstanceOrder } from "@web-tester/contracts/entities/vocabulary";
import { IconTrash } from "@tabler/icons-react";
import { memo } from "react";
import { Link } from "react-router";
import { t } from "../../texts/text.js";
import { Needs } from "../../ui/access/needs.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { Moment } from "../../ui/format/moment.js";
import { formatDate } from "../../ui/format/dates.js";
import { Path } from "../../ui/format/path.js";
import { counted, pathOf, readable } from "../../ui/format/words.js";
import { SnapshotTicks } from "../../ui/history/history.js";
import { failureStatus } from "../../ui/status/snapshot-status.js";
import { Thumbnail } from "../../ui/thumbnail/thumbnail.js";
import { ChangeFigures } from "../../ui/status/change-figures.js";
import { StatusBadge } from "../../ui/status/status.js";
import classes from "./instances.module.css";

const lifecycleWords = { gone: "gone", unlinked: "no longer linked", moved: "moved" } as const;

interface Props {
  instance: TestInstanceListItem;
  siteUrl: string;
  /** What the list is ordered by, which its rows then show. */
  sort: InstanceOrder | undefined;
  disabled: boolean;
  onDelete: (instance: TestInstanceListItem) => void;
}

/** One page of the site with its newest status; the whole row is a link. */
export const InstanceRow = memo(function InstanceRow({ instance, siteUrl, sort, disabled, onDelete }: Props) {
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
        <Path path={path} className={classes["path"]} />
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
        <Figures instance={instance} sort={sort} />
      </div>
      <DeleteButton label={label} disabled={disabled} onDelete={() => onDelete(instance)} />
    </div>
  );
});

interface DeleteProps {
  label: string;
  disabled: boolean;
  onDelete: () => void;
}

function DeleteButton({ label, disabled, onDelete }: DeleteProps) {
  return (
    <Needs call="deleteTestInstance">
      <ActionIcon
        variant="subtle"
        className={classes["delete"]}
        aria-label={t("Delete {label}", { label })}
        title={t("Delete")}
        disabled={disabled}
        onClick={onDelete}
      >
        <IconTrash size={16} stroke={1.75} aria-hidden />
      </ActionIcon>
    </Needs>
  );
}

/** The number of snapshots and when the newest was made, or the value that the list is ordered by. */
function Figures({ instance, sort }: { instance: TestInstanceListItem; sort: InstanceOrder | undefined }) {
  if (sort === "size") return <span>{formatBytes(instance.size_bytes)}</span>;
  if (sort === "changed")
    return (
      <>
        <span>{instance.changed_at === null ? t("never changed") : t("last changed")}</span>
        {instance.changed_at !== null && (
          <span className={classes["date"]}>
            <Moment at={instance.changed_at} />
          </span>
        )}
      </>
    );
  return (
    <>
      <span>{counted(instance.snapshots_total, "snapshot")}</span>
      {instance.lifecycle === null ? (
        <span className={classes["date"]}>
          <Moment at={instance.last_snapshot_at} />
        </span>
      ) : (
        <span className={classes["date"]} title={t("Since {at}", { at: formatDate(instance.lifecycle_at) })}>
          {t(lifecycleWords[instance.lifecycle])}
        </span>
      )}
    </>
  );
}
