import { Button } from "@mantine/core";
import type { ChangeGroup } from "@web-tester/contracts/entities/review";
import { hiddenWords } from "@web-tester/html/text/hidden-words";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { Needs } from "../../ui/access/needs.js";
import { isShared } from "../../ui/access/shared.js";
import { MarkedLines } from "../../ui/code/marked-text.js";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import { isOfContent } from "./group-kind.js";
import { PageList } from "./page-list.js";
import { verdictWords } from "./verdict-words.js";
import classes from "./review.module.css";

interface Props {
  runId: string;
  objectId: string;
  group: ChangeGroup;
  /** Whether all of its pages are shown, for printing. */
  whole: boolean;
  onAccept: () => void;
  onProblem: () => void;
  onBack: () => void;
}

/** The lists that can be opened below a kind of change. */
type List = "pages" | "otherwise";

/** One kind of change, with its pages and the verdict on it. */
export function GroupRow({ runId, whole, ...of }: Props) {
  const [chosen, setOpened] = useState<List>();
  const opened = chosen ?? (whole ? "pages" : undefined);
  const { fingerprint, pages, said } = of.group;
  const toggle = (list: List) => setOpened(opened === list ? undefined : list);
  const row = useRef<HTMLLIElement>(null);
  useEnter(row, () => toggle("pages"));
  return (
    <li
      ref={row}
      className={classes["group"]}
      data-row
      data-fingerprint={fingerprint}
      data-ignore={ignoreAddress(of.objectId, of.group) ?? undefined}
      data-said={said?.verdict}
      tabIndex={-1}
    >
      <div className={classes["groupHead"]}>
        <b>{counted(pages, "page")}</b>
        <What group={of.group} opened={opened} onToggle={toggle} />
        <Acts {...of} opened={opened} onToggle={toggle} />
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

/** Enter on the row itself, to which j and k lead; within it, it belongs to what has the focus. */
function useEnter(row: React.RefObject<HTMLElement | null>, act: () => void): void {
  const current = useRef(act);
  useEffect(() => {
    current.current = act;
  });
  useEffect(() => {
    const element = row.current;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Enter" && event.target === element) current.current();
    };
    element?.addEventListener("keydown", onKey);
    return () => element?.removeEventListener("keydown", onKey);
  }, [row]);
}

interface Opening {
  opened: List | undefined;
  onToggle: (list: List) => void;
}

/** Shows the removed and added text, and the verdict. */
function What({ group: { kind, removed, added, otherwise, said }, opened, onToggle }: Pick<Props, "group"> & Opening) {
  const isMove = kind === "moved";
  return (
    <div className={classes["what"]}>
      {isMove && (
        <>
          <span className="label">{t("Moved, with the same content")}</span>
          <span className={classes["code"]}>
            <MarkedLines text={added} />
          </span>
        </>
      )}
      {kind === "rewritten" && (
        <span className="label">
          {t("Rewritten: more than 50 changes on each page. Of one of them, the first change:")}
        </span>
      )}
      {kind === "mode" && (
        <span className="label">
          {t(
            "Loaded over HTTP before and in the browser now, or the other way round: what scripts draw came or went. Of one of these pages, the first change:",
          )}
        </span>
      )}
      {kind === "repaged" && (
        <span className="label">
          {t("Entries that moved to another page of their list, with the same text. One of them:")}
        </span>
      )}
      {!isMove && isOfContent(kind) && <Words of={{ removed, added }} />}
      {!isMove && removed !== "" && (
        <span className={`${classes["code"]} ${classes["gone"]}`}>
          <MarkedLines text={removed} />
        </span>
      )}
      {!isMove && added !== "" && (
        <span className={`${classes["code"]} ${classes["came"]}`}>
          <MarkedLines text={added} />
        </span>
      )}
      {otherwise > 0 && (
        <button
          type="button"
          data-print
          className={`label link ${classes["otherwise"]}`}
          aria-expanded={opened === "otherwise"}
          onClick={() => onToggle("otherwise")}
        >
          {t("The same place changed differently on {pages}", { pages: counted(otherwise, "page") })}
        </button>
      )}
      {said !== null && <span className="label">{verdictWords(said)}</span>}
    </div>
  );
}

/** Shows what readers read of a part that came or went, where its code begins with a screenful of tags. */
function Words({ of }: { of: Pick<ChangeGroup, "removed" | "added"> }) {
  const words = hiddenWords(of);
  return words !== null && <span className={classes["words"]}>{words}</span>;
}

function Acts({
  objectId,
  group,
  onAccept,
  onProblem,
  onBack,
  opened,
  onToggle,
}: Omit<Props, "runId" | "whole"> & Opening) {
  const { sample, said } = group;
  const compare = `/diff?a=${sample.compared_with ?? ""}&b=${sample.snapshot_id}&as=formatted`;
  return (
    <div className={classes["acts"]} data-screen-only>
      <Button size="xs" variant="subtle" aria-expanded={opened === "pages"} onClick={() => onToggle("pages")}>
        {opened === "pages" ? t("Hide pages") : t("Pages")}
      </Button>
      {sample.compared_with !== null && (
        <Button size="xs" variant="default" component={Link} to={compare}>
          {t("Compare")}
        </Button>
      )}
      {said === null ? (
        <Verdicts ignore={ignoreAddress(objectId, group)} onAccept={onAccept} onProblem={onProblem} />
      ) : (
        <Needs call="takeVerdictBack">
          <Button size="xs" variant="default" onClick={stayAt(onBack)}>
            {t("Take back")}
          </Button>
        </Needs>
      )}
    </div>
  );
}

/** Keeps the focus for keyboard users when the pressed button disappears: it moves to the kind of change that contained it. */
const stayAt = (act: () => void) => (event: React.MouseEvent<HTMLElement>) => {
  event.currentTarget.closest<HTMLElement>("[data-fingerprint]")?.focus({ preventScroll: true });
  act();
};

interface VerdictsProps extends Pick<Props, "onAccept" | "onProblem"> {
  /** The address at which a rule to ignore it is made. */
  ignore: string | null;
}

/** The buttons for a verdict on a kind of change. */
function Verdicts({ ignore, onAccept, onProblem }: VerdictsProps) {
  return (
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
        <Button size="xs" variant="light" onClick={stayAt(onAccept)} title="a">
          {t("Accept")}
        </Button>
      </Needs>
    </>
  );
}

/**
 * The address at which a rule for a kind of change is made: in the comparison of its sample or, for a file or a header, on the page of
 * rules.
 */
function ignoreAddress(objectId: string, { kind, removed, added, sample }: ChangeGroup): string | null {
  // a rule for what scripts draw, or for an entry of a list, would hide real changes of the next fetches
  if (kind === "mode" || kind === "repaged") return null;
  if (isOfContent(kind))
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
