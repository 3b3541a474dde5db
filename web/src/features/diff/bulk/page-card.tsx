import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import { IconChevronRight } from "@tabler/icons-react";
import { memo, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { Path } from "../../../ui/format/path.js";
import { pathOf } from "../../../ui/format/words.js";
import { ChangeCounts, ChangeSquares } from "../../../ui/status/status.js";
import { Thumbnail } from "../../../ui/thumbnail/thumbnail.js";
import type { ViewChoices } from "../diff-toolbar.js";
import { t } from "../../../texts/text.js";
import { changedLines, comesFolded, foldedFromLines } from "./bulk-entries.js";
import { PageDiff } from "./page-diff.js";
import { useNear } from "./use-near.js";
import classes from "./bulk.module.css";

/** How far outside the screen a diff is already, or still, rendered. */
const nearMargin = "400px 0px";
/** The area of the screen in which a card counts as being read: the upper part below header and toolbar. */
const readMargin = "-150px 0px -62% 0px";

interface Props {
  entry: BulkDiffEntry;
  index: number;
  siteUrl: string | undefined;
  /** Whether the object stores files, so that pages can be compared visually. */
  canLook: boolean;
  choices: ViewChoices;
  /** Whether it is rendered wherever it is, for printing. */
  whole: boolean;
  onRead: (index: number, isRead: boolean) => void;
}

/** One page that differs. Far from the screen only its height is kept, so that a thousand cards cost little. */
export const PageCard = memo(function PageCard({ entry, index, siteUrl, canLook, choices, whole, onRead }: Props) {
  const [nearRef, isNear] = useNear(nearMargin);
  const near = isNear || whole;
  const [readRef, read] = useNear(readMargin);
  const [isFolded, setFolded] = useState(() => comesFolded(entry));
  const folded = isFolded && !whole;
  const { cardRef, drawnRef, height, drawnPx } = useHeights(near);
  useEffect(() => onRead(index, read), [index, read, onRead]);

  const expected = Math.min(foldedFromLines, changedLines(entry) + 8) * 20;
  const estimate = folded ? 45 : 45 + expected;
  const name = nameOf(entry);
  return (
    <article
      ref={(card) => {
        cardRef.current = card;
        nearRef(card);
        readRef(card);
      }}
      id={`page-${index}`}
      className={classes["card"]}
      aria-label={name}
      style={near ? undefined : { height: height ?? estimate }}
    >
      {near && (
        <>
          <Head entry={entry} siteUrl={siteUrl} canLook={canLook} folded={folded} onFold={() => setFolded(!folded)} />
          {!folded && <CardDiff ref={drawnRef} {...{ entry, choices, whole }} expectedPx={drawnPx ?? expected} />}
        </>
      )}
    </article>
  );
});

/** The heights of the card and of its diff, which are kept while these are far away. */
function useHeights(near: boolean) {
  const [height, setHeight] = useState<number>();
  const [drawnPx, setDrawnPx] = useState<number>();
  const cardRef = useRef<HTMLElement | null>(null);
  const drawnRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const card = cardRef.current;
    if (!near || card === null) return undefined;
    const observer = new ResizeObserver(() => {
      setHeight(card.offsetHeight);
      if (drawnRef.current !== null) setDrawnPx(drawnRef.current.offsetHeight);
    });
    observer.observe(card);
    return () => observer.disconnect();
  }, [near]);
  return { cardRef, drawnRef, height, drawnPx };
}

interface HeadProps extends Pick<Props, "entry" | "siteUrl" | "canLook"> {
  folded: boolean;
  onFold(): void;
}

function Head({ entry, siteUrl, canLook, folded, onFold }: HeadProps) {
  const { linesAdded, linesRemoved, snapshot1, snapshot2 } = entry;
  return (
    <header className={classes["cardHead"]} data-folded={folded || undefined}>
      {canLook && snapshot1 !== null && snapshot2 !== null && (
        <span className={classes["thumbs"]}>
          <Thumbnail address={snapshot1.thumbnail} label="" />
          <Thumbnail address={snapshot2.thumbnail} label="" />
        </span>
      )}
      <h2 className={classes["cardTitle"]}>
        <button type="button" data-print className={classes["fold"]} aria-expanded={!folded} onClick={onFold}>
          <IconChevronRight size={16} data-opened={!folded || undefined} aria-hidden />
          <span className="truncate" title={nameOf(entry)}>
            {nameOf(entry)}
          </span>
        </button>
      </h2>
      <Path
        path={pathOf(entry.instanceUrl, siteUrl)}
        title={entry.instanceUrl}
        className={`text-2 ${classes["path"]}`}
      />
      {folded && comesFolded(entry) && (
        <span className={`label ${classes["why"]}`}>{t("Folded because it is long")}</span>
      )}
      <span className={classes["cardEnd"]}>
        {linesAdded !== null && linesRemoved !== null && (
          <>
            <ChangeCounts added={linesAdded} removed={linesRemoved} />
            <span className={classes["squares"]}>
              <ChangeSquares added={linesAdded} removed={linesRemoved} />
            </span>
            <span className={classes["rule"]} />
          </>
        )}
        <DiffLinks entry={entry} canLook={canLook} />
        <Link className="link" to={`/instances/${entry.instanceId}`}>
          {t("Open instance")}
        </Link>
      </span>
    </header>
  );
}

interface CardDiffProps extends Pick<Props, "entry" | "choices" | "whole"> {
  ref: React.Ref<HTMLDivElement>;
  expectedPx: number;
}

/** Renders the difference of the two snapshots, where there are two. */
function CardDiff({ ref, entry, choices, whole, expectedPx }: CardDiffProps) {
  const { snapshot1, snapshot2 } = entry;
  if (snapshot1 === null || snapshot2 === null) return null;
  return <PageDiff ref={ref} name={nameOf(entry)} a={snapshot1} b={snapshot2} {...{ choices, whole, expectedPx }} />;
}

const nameOf = (entry: BulkDiffEntry): string => entry.instanceName || entry.instanceUrl;

function DiffLinks({ entry, canLook }: Pick<Props, "entry" | "canLook">) {
  const { linesAdded, linesRemoved, snapshot1, snapshot2 } = entry;
  if (snapshot1 === null || snapshot2 === null) return null;
  return (
    <>
      {canLook && entry.assets && (
        <Link className="link" to={`/diff/visual?a=${snapshot1.id}&b=${snapshot2.id}`}>
          {t("Visual diff")}
        </Link>
      )}
      <Link className="link" to={`/diff?a=${snapshot1.id}&b=${snapshot2.id}`}>
        {t("Open diff")}
      </Link>
      {(linesAdded ?? 0) + (linesRemoved ?? 0) > 0 && (
        <Link
          className="link"
          to={`/diff?a=${snapshot1.id}&b=${snapshot2.id}&ignore=1`}
          aria-label={t("Ignore a change of {name}", { name: nameOf(entry) })}
        >
          {t("Ignore…")}
        </Link>
      )}
    </>
  );
}
