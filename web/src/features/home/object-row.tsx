import { Progress } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { IconChevronRight } from "@tabler/icons-react";
import { memo } from "react";
import { Link } from "react-router";
import { Moment } from "../../ui/format/moment.js";
import { formatCount, shortUrl } from "../../ui/format/words.js";
import { RunBars } from "../../ui/history/history.js";
import { StatusBadge, StatusIcon, ToneWord } from "../../ui/status/status.js";
import { t } from "../../texts/text.js";
import { objectStatus, runningBar } from "./object-list.js";
import classes from "./object-list.module.css";

/** One object of the list. The whole row links to it; the note that changes wait for review has a link of its own above the row's. */
export const ObjectRow = memo(function ObjectRow({ object }: { object: TestObject }) {
  const status = objectStatus(object);
  const names = `names-${object.id}`;
  const result = `result-${object.id}`;
  return (
    <li>
      <div className={classes["row"]}>
        <span className={classes["icon"]}>
          <StatusIcon status={status} size={17} />
        </span>
        <Names object={object} id={names} result={result} />
        <span className={`mono ${classes["instances"]}`}>
          {formatCount(object.instances_total)}
          <span className="sr-only"> {t("instances")}</span>
        </span>
        <span className={classes["bars"]}>
          <RunBars history={object.history} />
        </span>
        <span className={classes["result"]} id={result}>
          <Result object={object} />
        </span>
        <span className={classes["last"]}>
          <LastRun object={object} />
        </span>
        <IconChevronRight size={16} aria-hidden className={classes["chevron"]} />
      </div>
    </li>
  );
});

/** The object's name; its link covers the whole row. */
function Names({ object, id, result }: { object: TestObject; id: string; result: string }) {
  return (
    <span className={classes["names"]}>
      <Link
        to={`/objects/${object.id}`}
        className={`truncate ${classes["name"]} ${classes["cover"]}`}
        data-row
        id={id}
        title={object.name}
        aria-labelledby={`${id} ${id}-url ${result}`}
      >
        {object.name}
      </Link>
      <span className={`mono truncate ${classes["url"]}`} id={`${id}-url`} title={object.url}>
        {shortUrl(object.url)}
        {object.tags.length > 0 && <span className={classes["tags"]}>{object.tags.join(" · ")}</span>}
      </span>
    </span>
  );
}

function Result({ object }: { object: TestObject }) {
  const { changed, failed } = object.status_counts;
  if (object.snapshots_total === 0) return <span className="text-2 dense">{t("No snapshots yet")}</span>;
  const review = object.review !== null && object.review.waiting > 0 ? object.review : null;
  if (changed + failed === 0 && review === null) return <Quiet object={object} />;
  return (
    <>
      {review === null ? (
        changed > 0 && (
          <Link to={`/objects/${object.id}?status=changed`} className={classes["review"]}>
            <Changed count={changed} />
          </Link>
        )
      ) : (
        <ReviewLink review={review} />
      )}
      {failed > 0 && (
        <Link to={`/objects/${object.id}?status=failed`} className={classes["review"]}>
          <ToneWord tone="failed" status="failed">
            {t("{failing} failing", { failing: failed })}
          </ToneWord>
        </Link>
      )}
    </>
  );
}

/** Says that nothing changed, or that there was nothing to compare with yet. Pages have a past by fetches of their own and by imports too. */
function Quiet({ object }: { object: TestObject }) {
  if (object.history.length > 1 || object.max_snapshots > 1) return <StatusBadge status="unchanged" />;
  return (
    <span className="text-2 dense">
      {object.progress.snapshotAll.running ? t("First fetch") : t("First snapshots")}
    </span>
  );
}

function Changed({ count }: { count: number }) {
  return (
    <ToneWord tone="changed" status="changed">
      {t("{changed} changed", { changed: count })}
    </ToneWord>
  );
}

function ReviewLink({ review }: { review: NonNullable<TestObject["review"]> }) {
  return (
    <Link to={`/runs/${review.run_id}/review`} className={classes["review"]}>
      <ToneWord tone="changed" status="changed">
        {t("{waiting} to review", { waiting: review.waiting })}
      </ToneWord>
    </Link>
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
  if (last !== undefined)
    return (
      <span className={classes["date"]}>
        <Moment at={last.finished_at} />
      </span>
    );
  // fetched page by page, or imported
  if (object.snapshots_total > 0) return <span className={classes["date"]}>-</span>;
  return <span className="link">{object.instances_total === 0 ? t("Crawl to begin") : t("Fetch to begin")}</span>;
}
