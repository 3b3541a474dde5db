import { Button } from "@mantine/core";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { useState } from "react";
import { Link } from "react-router";
import { Moment } from "../../ui/format/moment.js";
import { formatCount } from "../../ui/format/words.js";
import { rich, t } from "../../texts/text.js";
import classes from "./instance.module.css";

/**
 * A page that keeps failing: shows its newest failure, how often and since when it failed, the last good snapshot, and the other
 * failures on demand.
 */
export function FailedStreak({
  cards,
  since,
  lastGood,
}: {
  /** The failures, newest first. */
  cards: readonly React.ReactNode[];
  since: string;
  lastGood: TestSnapshotSummary | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const [newest, ...others] = cards;
  return (
    <>
      {newest}
      <li className={classes["streak"]}>
        <span>
          {rich("Failing since {moment}, {cards} times in a row.", {
            moment: <Moment at={since} />,
            cards: cards.length,
          })}
        </span>
        {lastGood !== undefined && (
          <Link className="link" to={`/snapshots/${lastGood.id}`}>
            {t("Last good snapshot: #{number}", { number: String(lastGood.number) })}
          </Link>
        )}
        <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t("Hide the others") : t("Show the other {others}", { others: formatCount(others.length) })}
        </Button>
      </li>
      {isOpen && others}
    </>
  );
}
