import { Progress } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { IconChevronRight } from "@tabler/icons-react";
import { memo } from "react";
import { Link } from "react-router";
import { formatDate } from "../../ui/format/dates.js";
import { formatCount, shortUrl } from "../../ui/format/words.js";
import { RunBars } from "../../ui/history/history.js";
import { StatusBadge, StatusIcon, ToneWord } from "../../ui/status/status.js";
import { objectStatus, runningBar } from "./object-list.js";
import classes from "./object-list.module.css";

/** One object of the list; the whole row is its link. */
export const ObjectRow = memo(function ObjectRow({ object }: { object: TestObject }) {
  const status = objectStatus(object);
  return (
    <li>
      <Link to={`/objects/${object.id}`} className={classes["row"]} data-row>
        <span className={classes["icon"]}>
          <StatusIcon status={status} size={17} />
        </span>
        <span className={classes["names"]}>
          <span className={`truncate ${classes["name"]}`}>{object.name}</span>
          <span className={`mono truncate ${classes["url"]}`} title={object.url}>
            {shortUrl(object.url)}
          </span>
        </span>
        <span className={`mono ${classes["instances"]}`}>
          {formatCount(object.instances_total)}
          <span className="sr-only"> instances</span>
        </span>
        <span className={classes["bars"]}>
          <RunBars history={object.history} />
        </span>
        <span className={classes["result"]}>
          <Result object={object} />
        </span>
        <span className={classes["last"]}>
          <LastRun object={object} />
        </span>
        <IconChevronRight size={16} aria-hidden className={classes["chevron"]} />
      </Link>
    </li>
  );
});

function Result({ object }: { object: TestObject }) {
  const { changed, failed } = object.status_counts;
  if (object.snapshots_total === 0) return <span className="text-2 dense">No snapshots yet</span>;
  if (changed + failed === 0) return <StatusBadge status="unchanged" />;
  return (
    <>
      {changed > 0 && (
        <ToneWord tone="changed" status="changed">
          {formatCount(changed)} changed
        </ToneWord>
      )}
      {failed > 0 && (
        <ToneWord tone="failed" status="failed">
          {formatCount(failed)} failing
        </ToneWord>
      )}
    </>
  );
}

function LastRun({ object }: { object: TestObject }) {
  const running = runningBar(object);
  if (running !== undefined) {
    const percent = running.total === 0 ? 0 : (running.completed / running.total) * 100;
    return (
      <span className={classes["running"]}>
        <span>
          <span className={classes["phoneIcon"]}>
            <StatusIcon status="running" size={15} />
          </span>
          {running.name} {formatCount(running.completed)} / {formatCount(running.total)}
        </span>
        <Progress value={percent} size={4} color="var(--wt-running-solid)" aria-label={running.name} />
      </span>
    );
  }
  const last = object.history.at(-1);
  if (last !== undefined) return <span className={classes["date"]}>{formatDate(last.finished_at)}</span>;
  return <span className="link">{object.instances_total === 0 ? "Crawl to begin" : "Fetch to begin"}</span>;
}
