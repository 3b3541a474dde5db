import { Button } from "@mantine/core";
import type { ObjectProgress, RunConflict } from "@web-tester/contracts/entities/run";
import type { RunKind } from "@web-tester/contracts/entities/vocabulary";
import { InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { type Label, t } from "../../texts/text.js";
import classes from "./object.module.css";

type BarName = keyof ObjectProgress;

const bars: Readonly<Record<RunKind, { bar: BarName; words: Label }>> = {
  crawl: { bar: "crawl", words: "A crawl" },
  sitemaps: { bar: "sitemaps", words: "A sitemap crawl" },
  "snapshot-all": { bar: "snapshotAll", words: "A fetch of all snapshots" },
  "snapshot-one": { bar: "snapshotAll", words: "A fetch" },
  "delete-instances": { bar: "deletion", words: "A deletion of all instances" },
  "delete-snapshots": { bar: "deletion", words: "A deletion of all snapshots" },
  "delete-object": { bar: "deletion", words: "The deletion of this object" },
  rules: { bar: "rules", words: "An evaluation of the rules" },
  noise: { bar: "rules", words: "A search for noise" },
  compare: { bar: "rules", words: "A comparison" },
  look: { bar: "snapshotAll", words: "A second look at pages" },
};

/** The bar that shows runs of a kind. */
export function barOfKind(kind: RunKind): BarName {
  return bars[kind].bar;
}

/** The id of a bar's element, for links to it. */
export function barElementId(bar: BarName): string {
  return `running-${bar}`;
}

/**
 * Says that something was not started because another run is in the way, and links to that run's bar; disappears when that run has
 * ended.
 */
export function ConflictNotice({
  conflict,
  progress,
  onClose,
}: {
  conflict: RunConflict | undefined;
  progress: ObjectProgress;
  onClose: () => void;
}) {
  if (conflict === undefined) return null;
  const { bar, words: label } = bars[conflict.kind];
  const words = t(label);
  const { running, runId, completed, total } = progress[bar];
  if (!running || runId !== conflict.runId) return null;
  return (
    <div className={classes["notice"]}>
      <InlineError
        tone="changed"
        title={t("Not started: {what} is already running", { what: words.charAt(0).toLowerCase() + words.slice(1) })}
        detail={t(
          bar === "deletion"
            ? "{what} was started {at} and has done {completed} of {total}. Wait until it is finished, then try again."
            : "{what} was started {at} and has done {completed} of {total}. Wait until it is finished, or stop it, then try again.",
          { what: words, at: formatDate(conflict.startedAt), completed, total },
        )}
        action={
          <>
            <Button variant="default" onClick={() => document.getElementById(barElementId(bar))?.focus()}>
              {t("Show it")}
            </Button>
            <Button variant="subtle" onClick={onClose}>
              {t("Dismiss")}
            </Button>
          </>
        }
      />
    </div>
  );
}
