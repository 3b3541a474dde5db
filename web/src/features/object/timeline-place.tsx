import type { TestObject } from "@web-tester/contracts/entities/object";
import classes from "./object.module.css";

/**
 * As tall as the timeline will be: what comes in above a list that somebody has opened moves it away from under the pointer, and
 * closes it where its field is not in sight any more. Nothing where a timeline is not to be expected.
 */
export function TimelinePlace({ object: { history, instances_total } }: { object: TestObject }) {
  // beside a first fetch of many pages stands the crawl that found them
  if (history.length < 2 && instances_total < 2) return null;
  const days = new Set(history.map((run) => new Date(run.finished_at).toDateString()));
  return <div className={classes["timelinePlace"]} data-days={days.size > 1 || undefined} aria-hidden />;
}
