import { turning } from "@web-tester/contracts/text-direction";
import { Fragment, memo, useState } from "react";
import { t } from "../../texts/text.js";
import { type LineState, tokenizeLine } from "./html-tokens.js";
import { MarkedText } from "./marked-text.js";
import { segmentsOf } from "./segments.js";
import { drawnChars, windowsOf } from "./windows.js";
import classes from "./code.module.css";

const openedChars = 20_000;
/** The most characters of one line that are printed: about forty sheets. */
const printedChars = 200_000;

const markClasses = { added: "markAdded", removed: "markRemoved", found: "markFound" } as const;
type Range = readonly [from: number, to: number];

interface Props {
  text: string;
  state: LineState;
  marks?: readonly Range[] | undefined;
  side?: keyof typeof markClasses | undefined;
  /** Ranges that were removed, shown in their place beside what was added. */
  removed?: readonly Range[] | undefined;
  /** Draws the whole line, for printing. */
  whole?: boolean;
}

/** Renders one line with quiet colours and marked ranges. Everything is text: stored markup never becomes markup of ours. */
export const CodeText = memo(function CodeText({ text, state, marks = [], side, removed = [], whole = false }: Props) {
  const [opened, setOpened] = useState<readonly Range[]>([]);
  const changed = removed.length === 0 ? marks : [...marks, ...removed].toSorted(([a], [b]) => a - b);
  const windows = windowsOf(text.length, whole ? printedChars : drawnChars, changed, opened);
  const last = windows.at(-1)?.[1] ?? 0;
  const gap = (from: number, to: number, opensFrom: number) =>
    to > from && (
      <button
        type="button"
        className={classes["more"]}
        onClick={() => setOpened([...opened, [opensFrom, Math.min(to, opensFrom + openedChars)]])}
      >
        {t("… {more} more characters, show", { more: to - from })}
      </button>
    );
  return (
    <>
      {windows.map(([from, to], index) => {
        const before = windows[index - 1]?.[1] ?? 0;
        return (
          <Fragment key={from}>
            {gap(before, from, Math.max(before, from - openedChars))}
            <Window
              text={text.slice(from, to)}
              state={state}
              marks={within(marks, from, to)}
              removed={within(removed, from, to)}
              side={side}
            />
          </Fragment>
        );
      })}
      {gap(last, text.length, last)}
    </>
  );
});

/** Renders a part of a line; where it begins inside the line, colours begin as at the beginning of a line. */
function Window({ text, state, marks = [], removed = [], side }: Props) {
  const { tokens } = tokenizeLine(text, state);
  const gone = removed.length === 0 ? undefined : removed;
  return segmentsOf(text, tokens, marks, gone).map((segment, index) =>
    segment.marked || segment.gone === true ? (
      <mark
        key={index}
        data-kind={segment.kind}
        data-gone={segment.gone}
        className={classes[segment.gone === true ? "markRemoved" : markClasses[side ?? "added"]]}
      >
        {side === "found" ? plain(segment.text) : <MarkedText text={segment.text} />}
      </mark>
    ) : segment.kind === undefined ? (
      <Fragment key={index}>{plain(segment.text)}</Fragment>
    ) : (
      <span key={index} data-kind={segment.kind}>
        {plain(segment.text)}
      </span>
    ),
  );
}

/** Renders text that is not marked; characters that would turn the line around are named there too. */
const plain = (text: string) => (text.search(turning) === -1 ? text : <MarkedText text={text} />);

/** Converts the ranges of a line to ranges within a part of it. */
function within(ranges: readonly Range[], from: number, to: number): Range[] {
  return ranges.flatMap(([start, end]) =>
    end <= from || start >= to ? [] : [[Math.max(0, start - from), Math.min(to, end) - from] satisfies Range],
  );
}
