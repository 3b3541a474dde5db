import { Button } from "@mantine/core";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { IconEye, IconGitCompare } from "@tabler/icons-react";
import { memo } from "react";
import { Link } from "react-router";
import { reasonOf, warningOf } from "../../api/reasons.js";
import { Moment } from "../../ui/format/moment.js";
import { formatDuration } from "../../ui/format/dates.js";
import { failureStatus, httpStatusText, snapshotStatus } from "../../ui/status/snapshot-status.js";
import { ChangeFigures } from "../../ui/status/change-figures.js";
import { StatusBadge, StatusIcon } from "../../ui/status/status.js";
import { Thumbnail } from "../../ui/thumbnail/thumbnail.js";
import { t } from "../../texts/text.js";
import { SnapshotContent } from "./snapshot-content.js";
import classes from "./instance.module.css";

/** The word for how a page was loaded. */
export const loadedBy = { http: "HTTP", browser: "browser" } as const;

interface Props {
  snapshot: TestSnapshotSummary;
  isLatest: boolean;
  previewsOff: boolean;
  comparedNumber: number | undefined;
  /** HTTP status of the last good snapshot before, where this one failed with another status. */
  statusBefore: number | null;
}

/** One snapshot on the timeline: the node shows its status, the card its details. */
export const SnapshotCard = memo(function SnapshotCard(props: Props) {
  const { snapshot, isLatest, previewsOff } = props;
  const status = snapshotStatus(snapshot);
  return (
    <li className={classes["item"]}>
      <span className={classes["node"]} data-status={status}>
        <StatusIcon status={status} size={14} />
      </span>
      <article className={classes["card"]} aria-label={t("Snapshot {number}", { number: String(snapshot.number) })}>
        <Head {...props} />
        {snapshot.thumbnail !== null && !previewsOff && (
          <Link to={`/snapshots/${snapshot.id}`} className={classes["thumb"]} tabIndex={-1} aria-hidden>
            <Thumbnail address={snapshot.thumbnail} label="" large />
          </Link>
        )}
        <Facts {...props} />
        {snapshot.state === "done" && <SnapshotContent snapshot={snapshot} previewsOff={previewsOff} />}
        {/* shown once, not on every card */}
        {snapshot.state === "done" && previewsOff && isLatest && (
          <p className={`label ${classes["previews"]}`}>{t("Previews are disabled for this test object.")}</p>
        )}
      </article>
    </li>
  );
});

function Head({ snapshot, isLatest, comparedNumber }: Props) {
  const status = snapshotStatus(snapshot);
  const isChanged = status === "changed";
  return (
    <div className={classes["head"]}>
      <div className={classes["what"]}>
        <b className="mono">#{snapshot.number}</b>
        <span className={classes["date"]}>
          <Moment at={snapshot.created_at} />
        </span>
        {isLatest && <span className={classes["latest"]}>{t("Latest")}</span>}
        <StatusBadge status={status} pill detail={failureStatus(status, snapshot.http_status)} />
        {isChanged && (
          <ChangeFigures
            added={snapshot.lines_added}
            removed={snapshot.lines_removed}
            files={snapshot.files_changed}
            facts={snapshot.facts_changed}
            atMost={snapshot.coarse}
          />
        )}
      </div>
      <Buttons
        snapshot={snapshot}
        isLatest={isLatest}
        comparedTo={isChanged && snapshot.compared_with !== null ? comparedNumber : undefined}
      />
    </div>
  );
}

function Buttons({
  snapshot,
  isLatest,
  comparedTo,
}: Pick<Props, "snapshot" | "isLatest"> & { comparedTo: number | undefined }) {
  return (
    <div className={classes["buttons"]}>
      {comparedTo !== undefined && (
        <Button
          component={Link}
          to={`/diff?a=${snapshot.compared_with}&b=${snapshot.id}`}
          variant={isLatest ? "light" : "default"}
          leftSection={<IconGitCompare size={15} aria-hidden />}
        >
          {t("Compare with #{comparedNumber}", { comparedNumber: comparedTo })}
        </Button>
      )}
      <Button
        component={Link}
        to={`/snapshots/${snapshot.id}`}
        variant="default"
        leftSection={<IconEye size={15} aria-hidden />}
        data-row
      >
        {t("View")}
      </Button>
    </div>
  );
}

/** Shows why it failed, its warning, and how it was loaded. */
function Facts({ snapshot, statusBefore }: Props) {
  const [reason, warning] = [reasonOf(snapshot), warningOf(snapshot)];
  const facts = [
    snapshot.http_status === null ? undefined : httpStatusText(snapshot.http_status),
    // most pages are loaded by HTTP, so that only the browser is worth naming
    snapshot.fetch_mode_used === "browser" ? t(loadedBy.browser) : undefined,
    snapshot.duration_ms === null ? undefined : formatDuration(snapshot.duration_ms),
  ].filter((fact) => fact !== undefined);
  return (
    <>
      {statusBefore !== null && snapshot.http_status !== null && (
        <p className={classes["reason"]}>
          {t("Status changed: {statusBefore} → {http_status}", { statusBefore, http_status: snapshot.http_status })}
        </p>
      )}
      {reason !== null && <p className={classes["reason"]}>{reason}</p>}
      {warning !== null && <p className={classes["warning"]}>{warning}</p>}
      {facts.length > 0 && (
        <p className={`mono ${classes["facts"]}`}>
          {facts.map((fact) => (
            <span key={String(fact)}>{fact}</span>
          ))}
        </p>
      )}
    </>
  );
}
