import { IconArrowDown, IconArrowsVertical, IconArrowUp } from "@tabler/icons-react";
import { memo } from "react";
import { CodeText } from "../../ui/code/code-line.js";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import type { MergedLine } from "./merge-lines.js";
import { type LineAddress, writeLine } from "./linked-line.js";
import type { Gap, Line, LineRow } from "./row-model.js";
import { linesAtOnce } from "./use-opened.js";
import classes from "./diff-view.module.css";

const gapIcons = {
  start: IconArrowUp,
  middle: IconArrowsVertical,
  end: IconArrowDown,
  all: IconArrowsVertical,
} as const;

/** A row for folded unchanged lines, with a button that opens them. */
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

export interface RowProps {
  row: LineRow;
  current: boolean;
  /** Whether a link points to this row. */
  linked: boolean;
  /** The link of a line, and what clicking it does; undefined where lines have no links. */
  link: { address: (line: LineAddress) => string; onPick: (line: LineAddress) => void } | undefined;
  /** Whether long lines are rendered completely, for printing. */
  whole: boolean;
}

/** The number of a line, which links to it; not reachable by Tab, since there are thousands. */
function LineNumber({
  line,
  side,
  link,
  className = "",
}: {
  line: Line | undefined;
  side: "a" | "b";
  link: RowProps["link"];
  className?: string | undefined;
}) {
  const classNames = `${classes["number"]} ${className}`;
  if (line === undefined || link === undefined) return <span className={classNames}>{line?.no}</span>;
  const address = { side, no: line.no };
  return (
    <a
      className={classNames}
      href={link.address(address)}
      data-line={writeLine(address)}
      tabIndex={-1}
      onClick={(event) => {
        // with a modifier key the browser opens it elsewhere, like every link
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        link.onPick(address);
      }}
    >
      {line.no}
    </a>
  );
}

/** One row of both sides; a side without a line is hatched. */
export const SplitRow = memo(function SplitRow({ row, current, linked, link, whole }: RowProps) {
  return (
    <div className={classes["split"]} data-current={current || undefined} data-linked={linked || undefined}>
      <Side line={row.a} side="a" link={link} whole={whole} />
      <Side line={row.b} side="b" link={link} whole={whole} />
    </div>
  );
});

interface SideProps extends Pick<RowProps, "link" | "whole"> {
  line: Line | undefined;
  side: "a" | "b";
}

function Side({ line, side, link, whole }: SideProps) {
  if (line === undefined) return <div className={classes["hatched"]} data-side={side} aria-hidden />;
  return (
    <div
      className={classes["side"]}
      data-side={side}
      data-kind-of={line.kind}
      data-ignored={isIgnored(line)}
      data-moved={isMoved(line)}
      title={line.ignored ?? line.moved}
    >
      <LineNumber line={line} side={side} link={link} />
      <span className={classes["sign"]}>{signs[line.kind]}</span>
      <span className={classes["text"]}>
        <CodeText
          text={line.text}
          state={line.state}
          marks={line.marks}
          side={line.kind === "context" ? undefined : line.kind}
          whole={whole}
        />
        {line.noEol === true && <LineEnd words={t("no newline at the end")} />}
      </span>
    </div>
  );
}

/** Describes an invisible difference at the end of a line. */
const LineEnd = ({ words }: { words: string }) => <span className={classes["lineEnd"]}>{words}</span>;

const isIgnored = (line: Line): true | undefined => (line.ignored === undefined ? undefined : true);

const isMoved = (line: Line): true | undefined => (line.moved === undefined ? undefined : true);

const signs = { context: "", removed: "-", added: "+" } as const;

/** Shows two versions of a line as one, with removed and added parts. */
function MergedRow({
  row,
  merged,
  state,
  current,
  linked,
  link,
  whole,
}: RowProps & { merged: MergedLine; state: Line["state"] }) {
  return (
    <div
      className={classes["unified"]}
      data-current={current || undefined}
      data-linked={linked || undefined}
      data-kind-of="merged"
      data-ignored={row.a !== undefined && row.b !== undefined && isIgnored(row.a) && isIgnored(row.b)}
      title={row.b?.ignored}
    >
      <LineNumber line={row.a} side="a" link={link} className={classes["numberA"]} />
      <LineNumber line={row.b} side="b" link={link} className={classes["numberB"]} />
      <span className={classes["sign"]}>±</span>
      <span className={classes["text"]}>
        <CodeText
          text={merged.text}
          state={state}
          marks={merged.added}
          removed={merged.removed}
          side="added"
          whole={whole}
        />
        {row.a?.noEol !== row.b?.noEol && (
          <LineEnd words={row.a?.noEol === true ? t("newline at the end added") : t("newline at the end removed")} />
        )}
      </span>
    </div>
  );
}

/** One line of the unified view. */
export const UnifiedRow = memo(function UnifiedRow(props: RowProps) {
  const { row, current, linked, link, whole } = props;
  const line = row.b ?? row.a;
  if (line === undefined) return null;
  if (row.merged !== undefined) return <MergedRow {...props} merged={row.merged} state={line.state} />;
  return (
    <div
      className={classes["unified"]}
      data-current={current || undefined}
      data-linked={linked || undefined}
      data-kind-of={line.kind}
      data-ignored={isIgnored(line)}
      data-moved={isMoved(line)}
      title={line.ignored ?? line.moved}
    >
      <LineNumber line={row.a} side="a" link={link} className={classes["numberA"]} />
      <LineNumber line={row.b} side="b" link={link} className={classes["numberB"]} />
      <span className={classes["sign"]}>{signs[line.kind]}</span>
      <span className={classes["text"]}>
        <CodeText
          text={line.text}
          state={line.state}
          marks={line.marks}
          side={line.kind === "context" ? undefined : line.kind}
          whole={whole}
        />
        {line.noEol === true && <LineEnd words={t("no newline at the end")} />}
      </span>
    </div>
  );
});
