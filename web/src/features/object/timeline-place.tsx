import type { TestObject } from "@web-tester/contracts/entities/object";
import classes from "./object.module.css";

/**
 * Reserves the height of the timeline while it loads: content that appears above an open dropdown would move it away from the pointer,
 * and close it once its field is out of sight. Renders nothing where no timeline is expected.
 */
export function TimelinePlace({ object: { history, instances_total } }: { object: TestObject }) {
  // after the first fetch of several pages, the timeline shows that fetch and the crawl that found the pages
  if (history.length < 2 && instances_total < 2) return null;
  const days = new Set(history.map((run) => new Date(run.finished_at).toDateString()));
  return <div className={classes["timelinePlace"]} data-days={days.size > 1 || undefined} aria-hidden />;
}
