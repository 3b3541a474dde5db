import {
  type Icon,
  IconAlertTriangleFilled,
  IconCheck,
  IconCircleCheck,
  IconCircleDashed,
  IconCirclePlus,
  IconClock,
  IconFileDiff,
  IconLoader2,
  IconPlayerStop,
} from "@tabler/icons-react";
import { type Label, t } from "../../texts/text.js";
import { formatCount } from "../format/words.js";
import type { ShownStatus } from "./snapshot-status.js";
import classes from "./status.module.css";

export type Tone = "failed" | "changed" | "running" | "added" | "quiet" | "plain";

/** Colour, icon and word of each status: always all three, so that colour alone never carries it. */
const looks: Record<ShownStatus, { word: Label; icon: Icon; tone: Tone; pill: boolean }> = {
  failed: { word: "Failed", icon: IconAlertTriangleFilled, tone: "failed", pill: true },
  running: { word: "Fetching", icon: IconLoader2, tone: "running", pill: true },
  changed: { word: "Changed", icon: IconFileDiff, tone: "changed", pill: true },
  first: { word: "First snapshot", icon: IconCirclePlus, tone: "plain", pill: true },
  unchanged: { word: "Unchanged", icon: IconCheck, tone: "quiet", pill: false },
  fetched: { word: "Fetched", icon: IconCircleCheck, tone: "quiet", pill: false },
  queued: { word: "Queued", icon: IconClock, tone: "quiet", pill: false },
  cancelled: { word: "Stopped", icon: IconPlayerStop, tone: "quiet", pill: false },
  none: { word: "No snapshots yet", icon: IconCircleDashed, tone: "quiet", pill: false },
};

/** A status as icon and word: a pill for what needs attention, else plain in lists. `pill` forces either. */
export function StatusBadge({
  status,
  detail,
  pill,
}: {
  status: ShownStatus;
  detail?: string | number | null | undefined;
  pill?: boolean;
}) {
  const look = looks[status];
  const asPill = pill ?? look.pill;
  return (
    <span className={asPill ? classes["pill"] : classes["plain"]} data-tone={look.tone}>
      <StatusIcon status={status} size={14} />
      {t(look.word)}
      {detail === undefined || detail === null ? "" : ` ${detail}`}
    </span>
  );
}

/** The icon of a status alone; the word has to be elsewhere. */
export function StatusIcon({ status, size = 16 }: { status: ShownStatus; size?: number }) {
  const { icon: Glyph, tone } = looks[status];
  return (
    <Glyph
      size={size}
      stroke={1.75}
      aria-hidden
      className={status === "running" ? "spin" : undefined}
      data-tone={tone}
      data-icon
    />
  );
}

/** Icon and words in the colour of a tone, without background: "18 changed". */
export function ToneWord({ tone, status, children }: { tone: Tone; status: ShownStatus; children: React.ReactNode }) {
  return (
    <span className={classes["word"]} data-tone={tone}>
      <StatusIcon status={status} size={15} />
      {children}
    </span>
  );
}

/** "+11 −9"; screen readers get both with their nouns. */
export function ChangeCounts({
  added,
  removed,
  noun = t("lines"),
  atMost = false,
}: {
  added: number;
  removed: number;
  noun?: string;
  atMost?: boolean;
}) {
  return (
    <span className={classes["counts"]}>
      <span className={classes["added"]}>
        <span className="sr-only">
          {atMost ? `${t("at most")} ` : ""}
          {t("added {noun}:", { noun })}{" "}
        </span>
        +{formatCount(added)}
      </span>{" "}
      <span className={classes["removed"]}>
        <span className="sr-only">{t("removed {noun}:", { noun })} </span>−{formatCount(removed)}
      </span>
    </span>
  );
}

/** Five squares that show the shares of added and removed at a glance; the numbers are beside them. */
export function ChangeSquares({ added, removed }: { added: number; removed: number }) {
  const green =
    added + removed === 0
      ? 0
      : Math.max(added > 0 ? 1 : 0, Math.min(removed > 0 ? 4 : 5, Math.round((added / (added + removed)) * 5)));
  return (
    <span className={classes["squares"]} aria-hidden>
      {[0, 1, 2, 3, 4].map((index) => (
        <i key={index} data-side={added + removed === 0 ? undefined : index < green ? "added" : "removed"} />
      ))}
    </span>
  );
}
