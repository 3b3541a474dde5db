import type { ScheduledWork } from "@web-tester/contracts/entities/schedule";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { upcomingQuery } from "../../api/watch-queries.js";
import { formatDate } from "../../ui/format/dates.js";
import { type Label, t } from "../../texts/text.js";
import classes from "./home.module.css";

const shown = 3;
const words: Readonly<Record<ScheduledWork, Label>> = {
  fetch: "fetch",
  "fetch-path": "fetch of a path",
  crawl: "crawl",
  sitemaps: "sitemaps",
};

/** The next scheduled runs in one line; nothing where none is scheduled. */
export function NextRuns() {
  const items = useQuery({ ...upcomingQuery(), refetchInterval: 60_000 }).data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <p className={`label ${classes["summary"]}`}>
      {t("Next:")}{" "}
      {items.slice(0, shown).map((run, index) => (
        <span key={run.schedule_id}>
          {index > 0 && " · "}
          <Link to={`/objects/${run.testobject_id}/schedules`}>{run.object_name}</Link>, {t(words[run.work])},{" "}
          {formatDate(run.due_at)}
        </span>
      ))}
      {" · "}
      <Link to="/schedules">{t("All schedules")}</Link>
    </p>
  );
}
