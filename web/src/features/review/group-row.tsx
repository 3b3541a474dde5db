import { Button } from "@mantine/core";
import type { ChangeGroup } from "@web-tester/contracts/entities/review";
import { useState } from "react";
import { Link } from "react-router";
import { Needs } from "../../ui/access/needs.js";
import { isShared } from "../../ui/access/shared.js";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import { PageList } from "./page-list.js";
import { verdictWords } from "./verdict-words.js";
import classes from "./review.module.css";

/** One kind of change, with its pages and what is thought of it. */
export function GroupRow({
  runId,
  objectId,
  group,
  whole,
  onAccept,
  onProblem,
  onBack,
}: {
  runId: string;
  objectId: string;
  group: ChangeGroup;
  /** All of its pages are shown: on its way to paper. */
  whole: boolean;
  onAccept: () => void;
  onProblem: () => void;
  onBack: () => void;
}) {
  const [chosen, setOpened] = useState<"pages" | "otherwise">();
  const opened = chosen ?? (whole ? "pages" : undefined);
  const { fingerprint, pages, removed, added, otherwise, sample, said } = group;
  const compare = `/diff?a=${sample.compared_with ?? ""}&b=${sample.snapshot_id}&as=formatted`;
  const ignore = ignoreAddress(objectId, group);
  const toggle = (list: "pages" | "otherwise") => setOpened(opened === list ? undefined : list);
  return (
    <li className={classes["group"]} data-row data-fingerprint={fingerprint} data-said={said?.verdict} tabIndex={-1}>
      <div className={classes["groupHead"]}>
        <b>{counted(pages, "page")}</b>
        <div className={classes["what"]}>
          {removed !== "" && <span className={`${classes["code"]} ${classes["gone"]}`}>{removed}</span>}
          {added !== "" && <span className={`${classes["code"]} ${classes["came"]}`}>{added}</span>}
          {otherwise > 0 && (
            <button
              type="button"
              data-print
              className={`label link ${classes["otherwise"]}`}
              aria-expanded={opened === "otherwise"}
              onClick={() => toggle("otherwise")}
            >
              {t("The same place changed otherwise on {pages}", { pages: counted(otherwise, "page") })}
            </button>
          )}
          {said !== null && <span className="label">{verdictWords(said)}</span>}
        </div>
        <div className={classes["acts"]} data-screen-only>
          <Button size="xs" variant="subtle" aria-expanded={opened === "pages"} onClick={() => toggle("pages")}>
            {opened === "pages" ? t("Hide pages") : t("Pages")}
          </Button>
          {sample.compared_with !== null && (
            <Button size="xs" variant="default" component={Link} to={compare}>
              {t("Compare")}
            </Button>
          )}
          {said === null ? (
            <>
              {ignore !== null && !isShared && (
                <Button size="xs" variant="default" component={Link} to={ignore} title="i">
                  {t("Ignore always…")}
                </Button>
              )}
              <Needs call="giveVerdict">
                <Button size="xs" variant="default" onClick={onProblem} title="x">
                  {t("Problem…")}
                </Button>
              </Needs>
              <Needs call="giveVerdict">
                <Button size="xs" onClick={onAccept} title="a">
                  {t("Accept")}
                </Button>
              </Needs>
            </>
          ) : (
            <Needs call="takeVerdictBack">
              <Button size="xs" variant="default" onClick={onBack}>
                {t("Take back")}
              </Button>
            </Needs>
          )}
        </div>
      </div>
      {opened !== undefined && (
        <div className={classes["open"]}>
          <PageList
            key={opened}
            runId={runId}
            whole={whole}
            filter={opened === "pages" ? { fingerprint } : { fingerprint, otherwise: "true" }}
          />
        </div>
      )}
    </li>
  );
}

/** Where a rule for a kind of change is made: in the comparison of its sample, or, of a file or a header, among the rules. */
export function ignoreAddress(objectId: string, { kind, removed, added, sample }: ChangeGroup): string | null {
  if (kind === "content")
    return sample.compared_with === null
      ? null
      : `/diff?a=${sample.compared_with}&b=${sample.snapshot_id}&as=formatted&ignore=1`;
  if (kind === "file" && !/^https?:/.test(added)) return null;
  const rule =
    kind === "file"
      ? { kind, pattern: added.replace(/\?.*$/s, "*") }
      : { kind: "header", name: (added === "" ? removed : added).replace(/:.*$/s, "").replaceAll(" ", "_") };
  return `/objects/${objectId}/rules?${new URLSearchParams({ ignore: JSON.stringify(rule) }).toString()}`;
}
