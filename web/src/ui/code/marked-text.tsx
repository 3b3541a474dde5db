import { Fragment } from "react";
import { piecesOf } from "./unseen.js";
import classes from "./code.module.css";

/** Renders added or removed text; invisible characters get a visible name beside them that is not copied with the text. */
export function MarkedText({ text }: { text: string }) {
  return piecesOf(text).map((piece, index) =>
    piece.name === undefined ? (
      piece.text
    ) : (
      <span key={index} className={classes["unseen"]} data-unseen={piece.name}>
        {piece.text}
      </span>
    ),
  );
}

/** Renders several added or removed lines, as `MarkedText` does each. */
export function MarkedLines({ text }: { text: string }) {
  return text.split("\n").map((line, index) => (
    <Fragment key={index}>
      {index > 0 && "\n"}
      <MarkedText text={line} />
    </Fragment>
  ));
}
