import { Switch } from "@mantine/core";
import type { Schedule } from "@web-tester/contracts/entities/schedule";
import { Link } from "react-router";
import { Needs } from "../../ui/access/needs.js";
import { formatDate } from "../../ui/format/dates.js";
import { t } from "../../texts/text.js";
import { workWords } from "./schedule-choice.js";
import { scheduleWords } from "./schedule-words.js";
import rowClasses from "../../ui/layout/rows.module.css";

interface RowProps {
  schedule: Schedule;
  /** In a list of several objects: the object's name. */
  objectName?: string;
  onPause: (paused: boolean) => void;
  /** Further actions on it. */
  acts: React.ReactNode;
}

/** A schedule in words, with its next times and the result of the last one. */
export function ScheduleRow({ schedule, objectName, onPause, acts }: RowProps) {
  const title = `${t(workWords[schedule.work])}${schedule.work === "fetch-path" ? ` ${schedule.path}` : ""}`;
  return (
    <li className={rowClasses["foldingRow"]} data-off={schedule.paused || undefined}>
      <div>
        <span className={rowClasses["title"]}>
          {objectName !== undefined && (
            <>
              <Link to={`/objects/${schedule.testobject_id}/schedules`}>{objectName}</Link>:{" "}
            </>
          )}
          {title}
        </span>
        <div>{scheduleWords(schedule, schedule.words)}</div>
        <div className="label">
          {schedule.paused
            ? t("Paused")
            : t("Next: {moments}", {
                moments: schedule.next.map((moment) => formatDate(moment)).join(" · ") || t("never again"),
              })}
        </div>
        {schedule.last !== null && <LastTime last={schedule.last} isFetch={schedule.work.startsWith("fetch")} />}
      </div>
      <div className={rowClasses["acts"]}>
        <Needs call="updateSchedule">
          <Switch
            size="xs"
            aria-label={t("On: {title}", { title: objectName === undefined ? title : `${objectName}, ${title}` })}
            checked={!schedule.paused}
            onChange={(event) => onPause(!event.currentTarget.checked)}
          />
        </Needs>
        {acts}
      </div>
    </li>
  );
}

const outcomeWords = {
  started: "started",
  overlapped: "skipped, a run was still in progress",
  "nothing-to-do": "nothing to do",
  refused: "could not start",
} as const;

function LastTime({ last, isFetch }: { last: NonNullable<Schedule["last"]>; isFetch: boolean }) {
  const words = t("Last: {at}, {outcome}", { at: formatDate(last.due_at), outcome: t(outcomeWords[last.outcome]) });
  return (
    <div className="label" data-tone={last.outcome === "refused" ? "failed" : undefined} title={last.said || undefined}>
      {last.run_id === null || !isFetch ? words : <Link to={`/runs/${last.run_id}/review`}>{words}</Link>}
      {last.said !== "" && `: ${last.said}`}
    </div>
  );
}
