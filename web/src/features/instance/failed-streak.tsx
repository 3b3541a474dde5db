import { Button } from "@mantine/core";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { useState } from "react";
import { Link } from "react-router";
import { Moment } from "../../ui/format/moment.js";
import { formatCount } from "../../ui/format/words.js";
import classes from "./instance.module.css";

/** A page that keeps failing: its newest failure, how often and since when, the last good snapshot, and the others on demand. */
export function FailedStreak({
  cards,
  since,
  lastGood,
}: {
  /** The newest first. */
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
          Failing since <Moment at={since} />, {formatCount(cards.length)} times in a row.
        </span>
        {lastGood !== undefined && (
          <Link className="link" to={`/snapshots/${lastGood.id}`}>
            Last good snapshot: #{lastGood.number}
          </Link>
        )}
        <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide the others" : `Show the other ${formatCount(others.length)}`}
        </Button>
      </li>
      {isOpen && others}
    </>
  );
}
