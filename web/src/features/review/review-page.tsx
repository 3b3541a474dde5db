import { Button, TextInput } from "@mantine/core";
import type { ChangeGroup, ReviewKind, RunReview } from "@web-tester/contracts/entities/review";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { testObjectQuery } from "../../api/queries.js";
import { reviewQuery } from "../../api/review-queries.js";
import { useRefusals } from "../../ui/access/may.js";
import { isShared } from "../../ui/access/shared.js";
import { Empty, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { starterWords } from "../../ui/format/starter-words.js";
import { counted, formatCount } from "../../ui/format/words.js";
import { reviewHelp } from "../../ui/format/ways-to-look.js";
import { useKeys, useRowKeys } from "../../ui/keys/use-keys.js";
import { Card } from "../../ui/layout/card.js";
import { ObjectCrumbs } from "../../ui/layout/object-crumbs.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePrintWhole } from "../../ui/layout/use-print-whole.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { type Label, t } from "../../texts/text.js";
import { CameAndWent } from "./came-and-went.js";
import { comparedWords } from "./compared-words.js";
import { GroupRow, ignoreAddress } from "./group-row.js";
import { LabelDialog } from "./label-dialog.js";
import { MoreGroups } from "./more-groups.js";
import { PageList } from "./page-list.js";
import { ProblemDialog } from "./problem-dialog.js";
import { ReviewActions } from "./review-actions.js";
import { type Target, useVerdicts } from "./use-verdicts.js";
import classes from "./review.module.css";

/** The dialog in which a link to the review is made, and what opens it. */
interface Share {
  open: () => void;
  dialog: React.ReactNode;
}

interface Beside {
  share?: Share;
  /** Takes all changes of the run away as one file. */
  patch?: (of: { name: string; total: number }) => React.ReactNode;
  /** That pages of it are being deleted, where they are. */
  notice?: React.ReactNode;
}

/** What a fetch of pages found, equal changes as one, and what is thought of them. */
export function ReviewPage({ id, ...beside }: { id: string } & Beside) {
  const query = useQuery(reviewQuery(id));
  usePageMeta(
    t("Review of {name}", { name: query.data?.testobject.name ?? t("a run") }),
    t("What changed on a website."),
    `/runs/${id}/review`,
  );
  if (query.isPending)
    return (
      <Page>
        <Waiting words={t("Loading the review…")}>
          <RowSkeletons count={6} />
        </Waiting>
      </Page>
    );
  if (query.isError)
    return (
      <Page>
        <InlineError
          title={t("The review could not be loaded")}
          detail={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      </Page>
    );
  return <Loaded review={query.data} {...beside} />;
}

const kinds: readonly { kind: ReviewKind; word: Label }[] = [
  { kind: "failed", word: "failed" },
  { kind: "new", word: "new" },
  { kind: "gone", word: "gone" },
  { kind: "changed", word: "changed" },
  { kind: "ignored", word: "changed in what is ignored only" },
  { kind: "unchanged", word: "unchanged" },
  { kind: "pending", word: "not compared yet" },
];

function Loaded({ review, share, patch, notice }: { review: RunReview } & Beside) {
  const { run, testobject, compared, counts, groups } = review;
  const otherId = compared?.from.type === "object" ? compared.from.testobject_id : "";
  const other = useQuery({ ...testObjectQuery(useQueryClient(), otherId), enabled: otherId !== "" && !isShared });
  const otherName = other.data?.name ?? t("another test object");
  const navigate = useNavigate();
  const [kind, setKind] = useState<ReviewKind>();
  const [q, setQ] = useState("");
  const [problem, setProblem] = useState<Target>();
  const [isLabelling, setLabelling] = useState(false);
  const { give, takeBack, undo } = useVerdicts(run.id, testobject.id);
  useRowKeys();
  const { whole, print } = usePrintWhole();
  const focused = () => document.activeElement?.closest<HTMLElement>("[data-fingerprint]")?.dataset["fingerprint"];
  /** Acts on the group in focus, or on the first of which nothing was said. */
  const onGroup = (act: (of: { fingerprint: string }) => void) => () => {
    const fingerprint = focused() ?? groups.find(({ said }) => said === null)?.fingerprint;
    if (fingerprint !== undefined) act({ fingerprint });
  };
  const ignore = (group: ChangeGroup | undefined) => {
    const to = group === undefined ? null : ignoreAddress(testobject.id, group);
    if (to !== null) void navigate(to);
  };
  const inContent = groups.filter((group) => group.kind === "content");
  const beside = groups.filter((group) => group.kind !== "content");
  const named = new Set(beside.map(({ added }) => added));
  // those of a page's files that no kind of change names: of fetches before there were such kinds, and of pages with many
  const otherFiles = review.files.filter(({ url }) => !named.has(url));
  const groupList = (some: readonly ChangeGroup[], label: string) => (
    <ul className={classes["groups"]} aria-label={label}>
      {some.map((group) => (
        <GroupRow
          key={group.fingerprint}
          runId={run.id}
          objectId={testobject.id}
          group={group}
          whole={whole}
          onAccept={() => give({ of: { fingerprint: group.fingerprint }, verdict: "accepted" })}
          onProblem={() => setProblem({ fingerprint: group.fingerprint })}
          onBack={() => takeBack({ fingerprint: group.fingerprint })}
        />
      ))}
    </ul>
  );
  const mayJudge = useRefusals()("giveVerdict") === null && !isShared;
  useKeys({
    a: onGroup((of) => mayJudge && give({ of, verdict: "accepted" })),
    x: onGroup((of) => mayJudge && setProblem(of)),
    i: onGroup(({ fingerprint }) => !isShared && ignore(groups.find((group) => group.fingerprint === fingerprint))),
    z: () => undo?.(),
  });
  const isNoisy =
    compared === null &&
    counts.changed > (counts.changed + counts.unchanged + counts.ignored) / 3 &&
    counts.changed > 3;
  return (
    <Page>
      <PageHead
        apart
        above={<ObjectCrumbs id={testobject.id} name={testobject.name} here={t("Review")} />}
        title={titleOf(review)}
        below={
          <>
            {compared === null && !isShared && <p className="text-2">{t(reviewHelp)}.</p>}
            <p className="text-2">
              {compared !== null
                ? `${comparedWords(compared, otherName)}, `
                : `${t(run.finished_at === null ? "Fetching since {at}" : "Fetched {at}", { at: formatDate(run.finished_at ?? run.created_at) })}, `}
              {counted(run.total, "page")}, {starterWords(run)}
              {run.label !== null && <b className={classes["label"]}>{run.label}</b>}
            </p>
          </>
        }
        actions={
          <ReviewActions
            review={review}
            whole={whole}
            onPrint={print}
            onLabel={() => setLabelling(true)}
            onShare={share?.open}
            onUndo={undo}
            onAcceptAll={() => give({ of: { all: true }, verdict: "accepted" })}
          />
        }
      />
      {notice !== undefined && notice !== false && <div className={classes["notice"]}>{notice}</div>}
      <div className={classes["facts"]} role="group" aria-label={t("Pages by what they are")}>
        {kinds
          .filter((each) => counts[each.kind] > 0)
          .map((each) => (
            <button
              key={each.kind}
              type="button"
              data-print
              className={classes["fact"]}
              aria-pressed={kind === each.kind}
              onClick={() => setKind(kind === each.kind ? undefined : each.kind)}
            >
              <b>{formatCount(counts[each.kind])}</b> {t(each.word)}
              {each.kind === "failed" &&
                review.new_failures > 0 &&
                `, ${t("{count} newly", { count: review.new_failures })}`}
              {each.kind === "changed" &&
                review.with_files > 0 &&
                `, ${t("{count} with files", { count: review.with_files })}`}
            </button>
          ))}
      </div>
      <div className={classes["tools"]} data-screen-only>
        <TextInput
          className={classes["search"]}
          aria-label={t("Find pages of this run")}
          placeholder={t("Find pages of this run by name or address")}
          value={q}
          data-filter
          onChange={(event) => setQ(event.currentTarget.value)}
        />
        {counts.changed > 0 &&
          !isShared &&
          patch?.({ name: `${testobject.name} ${run.finished_at ?? run.created_at}`, total: counts.changed })}
      </div>
      <div className={classes["sections"]}>
        {isNoisy && (
          <InlineError
            tone="changed"
            title={t("More than a third of the pages changed")}
            detail={t("Perhaps something on them differs at every fetch. What does can be found, and ignored.")}
            action={
              !isShared && (
                <Button component={Link} variant="default" to={`/objects/${testobject.id}/rules`}>
                  {t("Find noise")}
                </Button>
              )
            }
          />
        )}
        {(kind !== undefined || q.trim() !== "") && (
          <Card title={t("Pages")} flush>
            <PageList
              key={run.state}
              runId={run.id}
              whole={whole}
              filter={{ kind, q: q.trim() || undefined }}
              onVerdict={(id, accepted) =>
                accepted ? give({ of: { instance_id: id }, verdict: "accepted" }) : takeBack({ instance_id: id })
              }
              accepts={compared === null ? ["changed"] : ["changed", "new", "gone"]}
            />
          </Card>
        )}
        {compared === null && !isShared && <CameAndWent runId={run.id} objectId={testobject.id} />}
        <Card title={t("Kinds of change")} aside={counted(inContent.length, "kind")} flush>
          {inContent.length === 0 ? (
            <Empty title={t("No page changed in its content")}>
              {counts.changed > 0 ? t("What changed are files or headers.") : undefined}
            </Empty>
          ) : (
            groupList(inContent, t("Kinds of change"))
          )}
        </Card>
        {beside.length + otherFiles.length > 0 && (
          <Card title={t("Files and headers")} flush>
            {beside.length > 0 && groupList(beside, t("Files and headers"))}
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
        )}
        {review.groups_total > groups.length && (
          <MoreGroups runId={run.id} shown={groups.length} total={review.groups_total} whole={whole} show={groupList} />
        )}
      </div>
      {share?.dialog}
      {isLabelling && <LabelDialog run={run} onClose={() => setLabelling(false)} />}
      <ProblemDialog
        isOpen={problem !== undefined}
        onClose={() => setProblem(undefined)}
        onSay={(note) => {
          if (problem !== undefined) give({ of: problem, verdict: "problem", note });
          setProblem(undefined);
        }}
      />
    </Page>
  );
}

function titleOf(review: RunReview): string {
  const { failed } = review.counts;
  const sentence = ofChanges(review);
  // where no change waits, a page that failed is what there is to say
  if (review.waiting > 0 || failed === 0) return sentence;
  return t("{sentence}, {pages} failed", { sentence, pages: counted(failed, "page") });
}

function ofChanges({ run, compared, waiting }: RunReview): string {
  if (compared === null)
    return waiting === 0
      ? t("No change waits for review")
      : t("{pages} to review", { pages: counted(waiting, "changed page") });
  if (run.state === "running")
    return t("Comparing: {completed} of {pages}", { completed: run.completed, pages: counted(run.total, "page") });
  if (run.state === "cancelled")
    return t("Stopped at {completed} of {pages}", { completed: run.completed, pages: counted(run.total, "page") });
  if (run.changed === 0) return t("Nothing differs");
  return waiting === 0
    ? t("No difference waits for review")
    : t("{pages} with differences to review", { pages: counted(waiting, "page") });
}
