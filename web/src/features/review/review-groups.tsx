import type { ChangeGroup, RunReview } from "@web-tester/contracts/entities/review";
import { Empty } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { GroupRow } from "./group-row.js";
import type { Target, useVerdicts } from "./use-verdicts.js";
import classes from "./review.module.css";

export type Verdicts = ReturnType<typeof useVerdicts>;

export interface Of {
  review: RunReview;
  /** All of the review is being drawn for paper. */
  whole: boolean;
  verdicts: Verdicts;
  onProblem: (of: Target) => void;
}

/** Equal changes of what the pages say, as one each. */
export function InContent({ of }: { of: Of }) {
  const inContent = of.review.groups.filter((group) => group.kind === "content");
  return (
    <Card title={t("Kinds of change")} aside={counted(inContent.length, "kind")} flush>
      {inContent.length === 0 ? (
        <NoKinds review={of.review} />
      ) : (
        <GroupList of={of} groups={inContent} label={t("Kinds of change")} />
      )}
    </Card>
  );
}

/** Of changes that are neither of the content nor beside it nothing is known: a comparison that takes too long is given up. */
function NoKinds({ review: { groups, files, counts } }: { review: RunReview }) {
  if (counts.changed > 0 && groups.length + files.length === 0)
    return <Empty title={t("What changed took too long to compare")}>{t("Open the pages to see it.")}</Empty>;
  return (
    <Empty title={t("No page changed in its content")}>
      {counts.changed > 0 ? t("What changed are files or headers.") : undefined}
    </Empty>
  );
}

/** What changed beside the content. */
export function BesideContent({ of }: { of: Of }) {
  const { groups, files } = of.review;
  const beside = groups.filter((group) => group.kind !== "content");
  const named = new Set(beside.map(({ added }) => added));
  // those of a page's files that no kind of change names: of fetches before there were such kinds, and of pages with many
  const otherFiles = files.filter(({ url }) => !named.has(url));
  return (
    beside.length + otherFiles.length > 0 && (
      <Card title={t("Files and headers")} flush>
        {beside.length > 0 && <GroupList of={of} groups={beside} label={t("Files and headers")} />}
        {otherFiles.length > 0 && (
          <ul className={classes["pages"]} aria-label={t("Further files")}>
            {otherFiles.map(({ url, pages }) => (
              <li key={url} className={classes["page"]}>
                <span className={`mono truncate ${classes["name"]}`} title={url}>
                  {url}
                </span>
                <span>{counted(pages, "page")}</span>
              </li>
            ))}
          </ul>
        )}
      </Card>
    )
  );
}

interface GroupListProps {
  of: Of;
  groups: readonly ChangeGroup[];
  label: string;
}

export function GroupList({ of: { review, whole, verdicts, onProblem }, groups, label }: GroupListProps) {
  return (
    <ul className={classes["groups"]} aria-label={label}>
      {groups.map((group) => (
        <GroupRow
          key={group.fingerprint}
          runId={review.run.id}
          objectId={review.testobject.id}
          group={group}
          whole={whole}
          onAccept={() => verdicts.give({ of: { fingerprint: group.fingerprint }, verdict: "accepted" })}
          onProblem={() => onProblem({ fingerprint: group.fingerprint })}
          onBack={() => verdicts.takeBack({ fingerprint: group.fingerprint })}
        />
      ))}
    </ul>
  );
}
