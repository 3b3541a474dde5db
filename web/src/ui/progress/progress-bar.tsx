import { Progress } from "@mantine/core";
import { formatCount } from "../format/words.js";
import { StatusIcon, ToneWord } from "../status/status.js";
import { t } from "../../texts/text.js";
import classes from "./progress-bar.module.css";

export interface ProgressBarProps {
  /** The operation: "Crawl", "Fetch". */
  name: string;
  noun: string;
  completed: number;
  total: number;
  failed: number;
  note?: React.ReactNode;
  action?: React.ReactNode;
  /** The id that links to this bar refer to; following one focuses it. */
  id?: string;
}

/** A running operation: done / total in words, failures separately, and a bar of both. */
export function ProgressBar({ name, noun, completed, total, failed, note, action, id }: ProgressBarProps) {
  const percent = Math.floor(shareOf(completed, total));
  return (
    <div className={classes["bar"]} id={id} tabIndex={-1} role="group" aria-label={name}>
      <div className={classes["words"]}>
        <span className={classes["name"]}>
          <StatusIcon status="running" size={15} />
          {name}
        </span>
        <span className={`truncate ${classes["note"]}`}>{note}</span>
        {failed > 0 && (
          <ToneWord tone="failed" status="failed">
            {t("{failed} failed", { failed: formatCount(failed) })}
          </ToneWord>
        )}
        <span className={classes["counts"]}>
          <b>
            {formatCount(completed)} / {formatCount(total)}
          </b>{" "}
          {noun}
        </span>
        <span className={`mono text-3 ${classes["percent"]}`}>{percent} %</span>
        {action}
      </div>
      <Bar name={name} noun={noun} completed={completed} total={total} failed={failed} />
    </div>
  );
}

/** The share of a count in percent. */
const shareOf = (count: number, total: number) => (total === 0 ? 0 : (count / total) * 100);

/** Draws the finished part, and after it the failed part. */
function Bar({ name, noun, completed, total, failed }: Omit<ProgressBarProps, "note" | "action" | "id">) {
  return (
    <Progress.Root size={6} aria-label={t("{name}: {completed} of {total} {noun}", { name, completed, total, noun })}>
      <Progress.Section
        value={shareOf(completed - failed, total)}
        color="var(--wt-running-solid)"
        aria-label={t("{name} done", { name })}
      />
      {failed > 0 && (
        <Progress.Section
          value={shareOf(failed, total)}
          color="var(--wt-failed-solid)"
          aria-label={t("{name} failed", { name })}
        />
      )}
    </Progress.Root>
  );
}
