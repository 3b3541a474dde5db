import type { TestObject } from "@web-tester/contracts/entities/object";
import { Link } from "react-router";
import classes from "./object.module.css";

/** What a newcomer does next with an object; nothing once there is something to compare, or while something runs. */
export function NextStep({ object }: { object: TestObject }) {
  const { crawl, sitemaps, snapshotAll } = object.progress;
  if (crawl.running || sitemaps.running || snapshotAll.running || object.deleting) return null;
  const words = wordsOf(object);
  return words === null ? null : <p className={classes["next"]}>{words}</p>;
}

function wordsOf({ id, instances_total: pages, snapshots_total: snapshots, history }: TestObject): React.ReactNode {
  if (pages === 0)
    return (
      <>
        <b>Next:</b> find the pages of this site. Crawl follows its links; Run Sitemaps reads the lists that it
        publishes.
      </>
    );
  if (snapshots === 0)
    return (
      <>
        <b>Next:</b> fetch all pages. Each is stored as a snapshot.
      </>
    );
  if (history.length === 1)
    return (
      <>
        <b>Next:</b> fetch again later, or{" "}
        <Link to={`/objects/${id}/schedules`} className="link">
          on a schedule
        </Link>
        , to see what changes.
      </>
    );
  return null;
}
