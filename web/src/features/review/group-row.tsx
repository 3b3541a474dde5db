import { Button } from "@mantine/core";
import type { ChangeGroup } from "@web-tester/contracts/entities/review";
import { useState } from "react";
import { Link } from "react-router";
import { counted } from "../../ui/format/words.js";
import { PageList } from "./page-list.js";
import { verdictWords } from "./verdict-words.js";
import classes from "./review.module.css";

/** One kind of change, with its pages and what is thought of it. */
export function GroupRow({
  runId,
  group,
  onAccept,
  onProblem,
  onBack,
}: {
  runId: string;
  group: ChangeGroup;
  onAccept: () => void;
  onProblem: () => void;
  onBack: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const { fingerprint, pages, removed, added, otherwise, sample, said } = group;
  const compare = `/diff?a=${sample.compared_with ?? ""}&b=${sample.snapshot_id}&as=formatted`;
  return (
    <li className={classes["group"]} data-row data-fingerprint={fingerprint} data-said={said?.verdict} tabIndex={-1}>
      <div className={classes["groupHead"]}>
        <b>{counted(pages, "page")}</b>
        <div className={classes["what"]}>
          {removed !== "" && <span className={`${classes["code"]} ${classes["gone"]}`}>{removed}</span>}
          {added !== "" && <span className={`${classes["code"]} ${classes["came"]}`}>{added}</span>}
          {otherwise > 0 && (
            <span className="label">The same place changed otherwise on {counted(otherwise, "page")}</span>
          )}
          {said !== null && <span className="label">{verdictWords(said)}</span>}
        </div>
        <div className={classes["acts"]}>
          <Button size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide pages" : "Pages"}
          </Button>
          {sample.compared_with !== null && (
            <Button size="xs" variant="default" component={Link} to={compare}>
              Compare
            </Button>
          )}
          {said === null ? (
            <>
              {sample.compared_with !== null && (
                <Button size="xs" variant="default" component={Link} to={`${compare}&ignore=1`} title="i">
                  Ignore always…
                </Button>
              )}
              <Button size="xs" variant="default" onClick={onProblem} title="x">
                Problem…
              </Button>
              <Button size="xs" onClick={onAccept} title="a">
                Accept
              </Button>
            </>
          ) : (
            <Button size="xs" variant="default" onClick={onBack}>
              Take back
            </Button>
          )}
        </div>
      </div>
      {isOpen && (
        <div className={classes["open"]}>
          <PageList runId={runId} filter={{ fingerprint }} />
        </div>
      )}
    </li>
  );
}
