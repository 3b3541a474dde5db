import type { ChangeGroup, RunReview } from "@web-tester/contracts/entities/review";
import { Empty } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { isOfContent } from "./group-kind.js";
import { GroupRow } from "./group-row.js";
import type { Target, useVerdicts } from "./use-verdicts.js";
import classes from "./review.module.css";

export type Verdicts = ReturnType<typeof useVerdicts>;

export interface Of {
  review: RunReview;
  /** Whether all of the review is being rendered for printing. */
  whole: boolean;
  verdicts: Verdicts;
  onProblem: (of: Target) => void;
}

/** The kinds of change in the pages' content; equal changes count as one. */
export function InContent({ of }: { of: Of }) {
  const { groups, groups_total: total } = of.review;
  const inContent = groups.filter(({ kind }) => isOfContent(kind));
  const count =
    total > groups.length
      ? t("{count} of {total}", { count: groups.length, total })
      : counted(inContent.length, "kind");
  return (
    <Card title={t("Kinds of change")} aside={count} flush>
      {inContent.length === 0 ? (
        <NoKinds review={of.review} />
      ) : (
        <GroupList of={of} groups={inContent} label={t("Kinds of change")} />
      )}
    </Card>
  );
}

/**
 * Says why no kinds of change are listed. Where pages changed, but neither content nor files are known, white space alone differs, or the
 * comparison took too long and was given up.
 */
function NoKinds({ review: { groups, files, counts } }: { review: RunReview }) {
  if (counts.changed > 0 && groups.length + files.length === 0)
    return (
      <Empty title={t("No words or markup changed")}>
        {t("The pages differ in white space alone, or took too long to compare. Open them to see it.")}
      </Empty>
    );
  return (
    <Empty title={t("No page changed in its content")}>
      {counts.changed > 0 ? t("What changed are files or headers.") : undefined}
    </Empty>
  );
}

/** The changes beside the content. */
export function BesideContent({ of }: { of: Of }) {
  const { groups, files } = of.review;
  const beside = groups.filter(({ kind }) => !isOfContent(kind));
  const named = new Set(beside.map(({ added }) => added));
  // changed files that no kind of change names: of older fetches without such kinds, and of pages with many files
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
