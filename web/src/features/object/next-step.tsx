import type { TestObject } from "@web-tester/contracts/entities/object";
import { Link } from "react-router";
import { rich, t } from "../../texts/text.js";
import classes from "./object.module.css";

/** Tells newcomers what to do next with an object; nothing once there is something to compare, or while something is running. */
export function NextStep({ object }: { object: TestObject }) {
  const { crawl, sitemaps, snapshotAll } = object.progress;
  if (crawl.running || sitemaps.running || snapshotAll.running || object.deleting) return null;
  const words = wordsOf(object);
  return words === null ? null : <p className={classes["next"]}>{words}</p>;
}

function wordsOf(object: TestObject): React.ReactNode {
  const { id, instances_total: pages, snapshots_total: snapshots, history, progress } = object;
  if (pages === 0 && progress.crawl.total > 0)
    return (
      <>
        {rich(
          "{next} the crawl found no page, and its report says why. Look at the address of the site and at the options, then crawl again.",
          { next: <b>{t("Next:")}</b> },
        )}
      </>
    );
  if (pages === 0)
    return (
      <>
        {rich(
          "{next} find the pages of this site. Crawl follows its links; Crawl Sitemaps reads the lists that it publishes.",
          { next: <b>{t("Next:")}</b> },
        )}
      </>
    );
  if (snapshots === 0)
    return <>{rich("{next} fetch all pages. Each is stored as a snapshot.", { next: <b>{t("Next:")}</b> })}</>;
  if (history.length === 1)
    return (
      <>
        {rich("{next} fetch again later, or {schedule}, to see what changes.", {
          next: <b>{t("Next:")}</b>,
          schedule: (
            <Link to={`/objects/${id}/schedules`} className="link">
              {t("on a schedule")}
            </Link>
          ),
        })}
      </>
    );
  return null;
}
