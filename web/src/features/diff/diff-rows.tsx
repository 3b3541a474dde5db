import { IconArrowDown, IconArrowsVertical, IconArrowUp } from "@tabler/icons-react";
import { memo } from "react";
import { CodeText } from "../../ui/code/code-line.js";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import type { MergedLine } from "./merge-lines.js";
import type { Gap, Line, LineRow } from "./row-model.js";
import { linesAtOnce } from "./use-opened.js";
import classes from "./diff-view.module.css";

const gapIcons = {
  start: IconArrowUp,
  middle: IconArrowsVertical,
  end: IconArrowDown,
  all: IconArrowsVertical,
} as const;

/** Unchanged lines that are folded away, with the way to see them. */
export function GapRow({ gap, busy, onOpen }: { gap: Gap; busy: boolean; onOpen: (gap: Gap) => void }) {
  const Glyph = gapIcons[gap.place];
  return (
    <div className={classes["gap"]}>
      <Glyph size={14} aria-hidden />
      <span>{counted(gap.count, "unchanged line")}</span>
      <button
        type="button"
        className={classes["show"]}
        disabled={busy}
        onClick={() => onOpen(gap)}
        aria-label={t("Show {lines}", { lines: counted(Math.min(gap.count, linesAtOnce), "unchanged line") })}
      >
        {busy ? t("Loading…") : gap.count > linesAtOnce ? t("Show {count}", { count: linesAtOnce }) : t("Show")}
      </button>
    </div>
  );
}

/** One row of both sides; the side that has no line is hatched. */
export const SplitRow = memo(function SplitRow({ row, current }: { row: LineRow; current: boolean }) {
  return (
    <div className={classes["split"]} data-current={current || undefined}>
      <Side line={row.a} />
      <Side line={row.b} />
    </div>
  );
});

function Side({ line }: { line: Line | undefined }) {
  if (line === undefined) return <div className={classes["hatched"]} aria-hidden />;
  return (
    <div
      className={classes["side"]}
      data-kind-of={line.kind}
      data-ignored={isIgnored(line)}
      data-moved={isMoved(line)}
      title={line.ignored ?? line.moved}
    >
      <span className={classes["number"]}>{line.no}</span>
      <span className={classes["sign"]}>{signs[line.kind]}</span>
      <span className={classes["text"]}>
        <CodeText
          text={line.text}
          state={line.state}
          marks={line.marks}
          side={line.kind === "context" ? undefined : line.kind}
        />
      </span>
    </div>
  );
}

const isIgnored = (line: Line): true | undefined => (line.ignored === undefined ? undefined : true);

const isMoved = (line: Line): true | undefined => (line.moved === undefined ? undefined : true);

const signs = { context: "", removed: "-", added: "+" } as const;

/** Two versions of a line as one, with what went and what came. */
function MergedRow({
  row,
  merged,
  state,
  current,
}: {
  row: LineRow;
  merged: MergedLine;
  state: Line["state"];
  current: boolean;
}) {
  return (
    <div
      className={classes["unified"]}
      data-current={current || undefined}
      data-kind-of="merged"
      data-ignored={row.a !== undefined && row.b !== undefined && isIgnored(row.a) && isIgnored(row.b)}
      title={row.b?.ignored}
    >
      <span className={`${classes["number"]} ${classes["numberA"]}`}>{row.a?.no}</span>
      <span className={`${classes["number"]} ${classes["numberB"]}`}>{row.b?.no}</span>
      <span className={classes["sign"]}>±</span>
      <span className={classes["text"]}>
        <CodeText text={merged.text} state={state} marks={merged.added} removed={merged.removed} side="added" />
      </span>
    </div>
  );
}

/** One line of the single column. */
export const UnifiedRow = memo(function UnifiedRow({ row, current }: { row: LineRow; current: boolean }) {
  const line = row.b ?? row.a;
  if (line === undefined) return null;
  if (row.merged !== undefined) return <MergedRow row={row} merged={row.merged} state={line.state} current={current} />;
  return (
    <div
      className={classes["unified"]}
      data-current={current || undefined}
      data-kind-of={line.kind}
      data-ignored={isIgnored(line)}
      data-moved={isMoved(line)}
      title={line.ignored ?? line.moved}
    >
      <span className={`${classes["number"]} ${classes["numberA"]}`}>{row.a?.no}</span>
      <span className={`${classes["number"]} ${classes["numberB"]}`}>{row.b?.no}</span>
      <span className={classes["sign"]}>{signs[line.kind]}</span>
      <span className={classes["text"]}>
        <CodeText
          text={line.text}
          state={line.state}
          marks={line.marks}
          side={line.kind === "context" ? undefined : line.kind}
        />
      </span>
    </div>
  );
});
