import { Button, TextInput } from "@mantine/core";
import { type ReviewKind, reviewKind, type RunReview } from "@web-tester/contracts/entities/review";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { isNotFound } from "../../api/api-error.js";
import { testObjectQuery } from "../../api/queries.js";
import { reviewQuery } from "../../api/review-queries.js";
import { useRefusals } from "../../ui/access/may.js";
import { isShared } from "../../ui/access/shared.js";
import { useAddressParams, useTypedParam, withParam } from "../../ui/address-params.js";
import { InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
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
import { LabelDialog } from "./label-dialog.js";
import { MoreGroups } from "./more-groups.js";
import { NoReview } from "./no-review.js";
import { PageList } from "./page-list.js";
import { ProblemDialog } from "./problem-dialog.js";
import { BesideContent, GroupList, InContent, type Of, type Verdicts } from "./review-groups.js";
import { ReviewActions } from "./review-actions.js";
import { type Target, useVerdicts } from "./use-verdicts.js";
import classes from "./review.module.css";

/** The dialog that makes a link to the review, and a function that opens it. */
interface Share {
  open: () => void;
  dialog: React.ReactNode;
}

interface Beside {
  share?: Share;
  /** Renders the download of all changes of the run as one file. */
  patch?: (of: { name: string; total: number }) => React.ReactNode;
  /** Says that pages of the run are being deleted, where that is so. */
  notice?: React.ReactNode;
}

/** The page that shows what a fetch or comparison found, with equal changes as one, and the verdicts on them. */
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
  // also where it was deleted while this page was open
  if (query.data === undefined || isNotFound(query.error))
    return <NoReview error={query.error} onRetry={() => void query.refetch()} />;
  return <Loaded review={query.data} {...beside} />;
}

const kinds: readonly { kind: ReviewKind; word: Label }[] = [
  { kind: "failed", word: "failed" },
  { kind: "new", word: "new" },
  { kind: "gone", word: "gone" },
  { kind: "changed", word: "changed" },
  { kind: "ignored", word: "changed only in ignored parts" },
  { kind: "unchanged", word: "unchanged" },
  { kind: "pending", word: "not compared yet" },
];

function Loaded({ review, share, patch, notice }: { review: RunReview } & Beside) {
  const { run, testobject } = review;
  const [kind, setKind] = useKind();
  const [q, setQ] = useTypedParam("q");
  const [problem, setProblem] = useState<Target>();
  const [isLabelling, setLabelling] = useState(false);
  const verdicts = useVerdicts(run.id, testobject.id);
  useRowKeys();
  const { whole, print } = usePrintWhole();
  useGroupKeys(review, verdicts, setProblem);
  const of = { review, whole, verdicts, onProblem: setProblem };
  return (
    <Page>
      <PageHead
        apart
        above={<ObjectCrumbs id={testobject.id} name={testobject.name} here={t("Review")} />}
        title={titleOf(review)}
        below={<Below review={review} />}
        actions={
          <ReviewActions
            review={review}
            whole={whole}
            onPrint={print}
            onLabel={() => setLabelling(true)}
            onShare={share?.open}
            onUndo={verdicts.undo}
            isAcceptingAll={verdicts.isAcceptingAll}
            onAcceptAll={() => verdicts.give({ of: { all: true }, verdict: "accepted" })}
          />
        }
      />
      {notice !== undefined && notice !== false && <div className={classes["notice"]}>{notice}</div>}
      <Facts review={review} kind={kind} onKind={setKind} />
      <Tools review={review} patch={patch} q={q} onFind={setQ} />
      <Sections of={of} kind={kind} q={q.trim()} />
      {share?.dialog}
      {isLabelling && <LabelDialog run={run} onClose={() => setLabelling(false)} />}
      <Problem of={problem} verdicts={verdicts} onClose={() => setProblem(undefined)} />
    </Page>
  );
}

/** The kind of pages that is shown, which is in the address. */
function useKind(): [ReviewKind | undefined, (kind: ReviewKind | undefined) => void] {
  const [search, change] = useAddressParams();
  const choose = (kind: ReviewKind | undefined) =>
    change((now) => withParam(now, "kind", kind ?? ""), { replace: true, preventScrollReset: true });
  return [reviewKind.safeParse(search.get("kind")).data, choose];
}

/** Keys for verdicts on the focused group, or on the first one without a verdict. */
function useGroupKeys(review: RunReview, { give, undo }: Verdicts, onProblem: (of: Target) => void): void {
  const { groups } = review;
  const navigate = useNavigate();
  const focused = () => document.activeElement?.closest<HTMLElement>("[data-fingerprint]")?.dataset["fingerprint"];
  const onGroup = (act: (of: { fingerprint: string }) => void) => () => {
    const fingerprint = focused() ?? groups.find(({ said }) => said === null)?.fingerprint;
    if (fingerprint !== undefined) act({ fingerprint });
  };
  // reads the row, so that it also works for kinds that were loaded on demand
  const ignore = ({ fingerprint }: { fingerprint: string }) => {
    const row = document.querySelector<HTMLElement>(`[data-fingerprint="${fingerprint}"]`);
    const to = row?.dataset["ignore"];
    if (to !== undefined) void navigate(to);
  };
  const mayJudge = useRefusals()("giveVerdict") === null && !isShared;
  useKeys({
    a: onGroup((of) => mayJudge && give({ of, verdict: "accepted" })),
    x: onGroup((of) => mayJudge && onProblem(of)),
    i: onGroup((of) => !isShared && ignore(of)),
    z: () => undo?.(),
  });
}

/** Says what was fetched or compared, when and by whom. */
function Below({ review: { run, compared } }: { review: RunReview }) {
  const otherId = compared?.from.type === "object" ? compared.from.testobject_id : "";
  const other = useQuery({ ...testObjectQuery(useQueryClient(), otherId), enabled: otherId !== "" && !isShared });
  const otherName = other.data?.name ?? t("another test object");
  return (
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
  );
}

interface FactsProps {
  review: RunReview;
  kind: ReviewKind | undefined;
  onKind: (kind: ReviewKind | undefined) => void;
}

/** Shows how many pages there are of each kind, to select one. */
function Facts({ review, kind, onKind }: FactsProps) {
  const { counts } = review;
  return (
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
            onClick={() => onKind(kind === each.kind ? undefined : each.kind)}
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
  );
}

interface ToolsProps extends Pick<Beside, "patch"> {
  review: RunReview;
  q: string;
  onFind: (text: string) => void;
}

function Tools({ review: { run, testobject, counts }, patch, q, onFind }: ToolsProps) {
  return (
    <div className={classes["tools"]} data-screen-only>
      <FindPages value={q} onChange={onFind} />
      {counts.changed > 0 &&
        !isShared &&
        patch?.({ name: `${testobject.name} ${run.finished_at ?? run.created_at}`, total: counts.changed })}
    </div>
  );
}

function FindPages({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <TextInput
      className={classes["search"]}
      aria-label={t("Find pages of this run")}
      placeholder={t("Find pages of this run by name or address")}
      value={value}
      data-filter
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Sections({ of, kind, q }: { of: Of; kind: ReviewKind | undefined; q: string }) {
  const { run, testobject, compared, groups, groups_total: total } = of.review;
  return (
    <div className={classes["sections"]}>
      <Noise review={of.review} />
      {(kind !== undefined || q !== "") && <Found of={of} title={t("Pages")} kind={kind} q={q} />}
      {compared !== null && <NewAndGone of={of} shown={kind} />}
      {compared === null && !isShared && <CameAndWent runId={run.id} objectId={testobject.id} />}
      <InContent of={of} />
      <BesideContent of={of} />
      {total > groups.length && (
        <MoreGroups
          runId={run.id}
          shown={groups.length}
          total={total}
          whole={of.whole}
          show={(some, label) => <GroupList of={of} groups={some} label={label} />}
        />
      )}
    </div>
  );
}

/** Warns that so many pages changed that something on them may differ at every fetch. */
function Noise({ review: { testobject, compared, counts, groups } }: { review: RunReview }) {
  // pages that were loaded in another way than before differ by what scripts draw, and only once
  const loadedOtherwise = groups.find(({ kind }) => kind === "mode")?.pages ?? 0;
  const isNoisy =
    compared === null &&
    counts.changed - loadedOtherwise > (counts.changed + counts.unchanged + counts.ignored) / 3 &&
    counts.changed - loadedOtherwise > 3;
  return (
    isNoisy && (
      <InlineError
        tone="changed"
        title={t("More than a third of the pages changed")}
        detail={t("Perhaps something on them differs at every fetch. You can find it and ignore it.")}
        action={
          !isShared && (
            <Button component={Link} variant="default" to={`/objects/${testobject.id}/rules`}>
              {t("Find noise")}
            </Button>
          )
        }
      />
    )
  );
}

/** Lists the new and the gone pages of a comparison, which wait for a verdict as changed ones do. @param shown the kind that is listed anyway */
function NewAndGone({ of, shown }: { of: Of; shown: ReviewKind | undefined }) {
  const lists = [
    ["new", "New pages"],
    ["gone", "Pages that are gone"],
  ] as const;
  return lists
    .filter(([kind]) => kind !== shown && of.review.counts[kind] > 0)
    .map(([kind, title]) => <Found key={kind} of={of} title={t(title)} kind={kind} q="" />);
}

interface FoundProps {
  of: Of;
  title: string;
  kind: ReviewKind | undefined;
  q: string;
}

/** Lists pages of one kind, or those that match a text. */
function Found({ of: { review, whole, verdicts }, title, kind, q }: FoundProps) {
  const { run, compared } = review;
  const { give, takeBack } = verdicts;
  return (
    <Card title={title} flush>
      <PageList
        key={run.state}
        label={title}
        runId={run.id}
        whole={whole}
        filter={{ kind, q: q || undefined }}
        onVerdict={(id, accepted) =>
          accepted ? give({ of: { instance_id: id }, verdict: "accepted" }) : takeBack({ instance_id: id })
        }
        accepts={compared === null ? ["changed"] : ["changed", "new", "gone"]}
      />
    </Card>
  );
}

interface ProblemProps {
  of: Target | undefined;
  verdicts: Verdicts;
  onClose: () => void;
}

/** Asks what the problem is; the note stays in the dialog until it is saved. */
function Problem({ of, verdicts: { give, isGiving }, onClose }: ProblemProps) {
  return (
    <ProblemDialog
      isOpen={of !== undefined}
      isSaying={isGiving}
      onClose={onClose}
      onSay={(note) => {
        if (of !== undefined) give({ of, verdict: "problem", note }, { onSuccess: onClose });
      }}
    />
  );
}

function titleOf(review: RunReview): string {
  const { failed } = review.counts;
  const sentence = ofChanges(review);
  // where no change waits for review, failed pages are the news
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
  if (run.state === "cancelled") return t("Stopped after {pages}", { pages: counted(run.completed, "page") });
  if (run.changed === 0) return t("Nothing differs");
  return waiting === 0
    ? t("No difference waits for review")
    : t("{pages} with differences to review", { pages: counted(waiting, "page") });
}
