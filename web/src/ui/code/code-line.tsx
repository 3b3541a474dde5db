import { memo, useState } from "react";
import { type LineState, tokenizeLine } from "./html-tokens.js";
import { segmentsOf } from "./segments.js";
import classes from "./code.module.css";

/** A minified page is one line of a megabyte: only its beginning is drawn until asked for more. */
const drawnChars = 3_000;

const markClasses = { added: "markAdded", removed: "markRemoved", found: "markFound" } as const;

/** The text of one line with quiet colours and marked ranges. Text only: nothing in it is ever markup of ours. */
export const CodeText = memo(function CodeText({
  text,
  state,
  marks,
  side,
}: {
  text: string;
  state: LineState;
  marks?: readonly (readonly [number, number])[] | undefined;
  side?: keyof typeof markClasses | undefined;
}) {
  const [drawn, setDrawn] = useState(drawnChars);
  const shown = text.length > drawn ? text.slice(0, drawn) : text;
  return (
    <>
      {segmentsOf(shown, tokenizeLine(shown, state).tokens, marks).map((segment, index) =>
        segment.marked ? (
          <mark key={index} data-kind={segment.kind} className={classes[markClasses[side ?? "added"]]}>
            {segment.text}
          </mark>
        ) : segment.kind === undefined ? (
          segment.text
        ) : (
          <span key={index} data-kind={segment.kind}>
            {segment.text}
          </span>
        ),
      )}
      {text.length > drawn && (
        <button type="button" className={classes["more"]} onClick={() => setDrawn(drawn + 20_000)}>
          … {(text.length - drawn).toLocaleString("en-US")} more characters, show
        </button>
      )}
    </>
  );
});
