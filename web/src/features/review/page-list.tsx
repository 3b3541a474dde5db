import { Button } from "@mantine/core";
import type { QueryInput } from "@web-tester/contracts/api";
import type { ReviewKind, ReviewPage } from "@web-tester/contracts/entities/review";
import type { InstanceStatus } from "@web-tester/contracts/entities/vocabulary";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { reviewPagesQuery } from "../../api/review-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty, InlineError, RowSkeletons } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted, readable } from "../../ui/format/words.js";
import { ChangeCounts, StatusIcon } from "../../ui/status/status.js";
import { t, translated } from "../../texts/text.js";
import { verdictWords } from "./verdict-words.js";
import classes from "./review.module.css";

const icons: Readonly<Record<ReviewKind, InstanceStatus>> = {
  ...{
    failed: "failed",
    gone: "failed",
    new: "first",
    changed: "changed",
    ignored: "unchanged",
    unchanged: "unchanged",
    pending: "queued",
  },
};

interface Props {
  runId: string;
  /** What the list is called by screen readers. */
  label?: string;
  filter: Omit<QueryInput<"listReviewPages">, "cursor" | "limit">;
  /** Kinds of pages that can be accepted one by one. */
  accepts?: readonly ReviewKind[];
  /** Whether to load everything, for printing. */
  whole?: boolean;
  onVerdict?: (instanceId: string, accepted: boolean) => void;
}

/** Lists pages of a run, loading more on demand. */
export function PageList({ runId, label, filter, accepts = [], whole = false, onVerdict }: Props) {
  const query = useInfiniteQuery(reviewPagesQuery(runId, filter));
  const pages = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (whole && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [whole, hasNextPage, isFetching, isError, fetchNextPage]);
  if (query.isPending) return <RowSkeletons count={3} height={40} />;
  if (query.isError)
    return (
      <InlineError
        title={t("The pages could not be loaded")}
        detail={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  if (pages.length === 0) return <Empty title={t("No pages here")} />;
  return (
    <>
      <ul className={classes["pages"]} aria-label={label ?? t("Pages")}>
        {pages.map((page) => (
          <PageRow key={page.snapshot_id} page={page} onVerdict={accepts.includes(page.kind) ? onVerdict : undefined} />
        ))}
      </ul>
      {query.hasNextPage && (
        <div className={classes["more"]}>
          <Button
            variant="default"
            size="xs"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {t("Show more")}
          </Button>
        </div>
      )}
    </>
  );
}

interface RowProps {
  page: ReviewPage;
  onVerdict: ((instanceId: string, accepted: boolean) => void) | undefined;
}

function PageRow({ page, onVerdict }: RowProps) {
  const { instance, kind, ignored, said } = page;
  const to =
    page.compared_with === null || kind === "failed" || kind === "gone"
      ? `/snapshots/${page.snapshot_id}`
      : `/diff?a=${page.compared_with}&b=${page.snapshot_id}`;
  return (
    <li className={classes["page"]}>
      <StatusIcon status={icons[kind]} />
      <Link to={to} className={`mono truncate link ${classes["name"]}`} title={instance.url}>
        {readable(instance.url)}
      </Link>
      {(kind === "failed" || kind === "gone") && (
        <span data-tone="failed">
          {page.http_status !== null && `${page.http_status} `}
          {page.failing_since !== null && t("failing since {at}", { at: formatDate(page.failing_since) })}
        </span>
      )}
      {kind === "changed" && <ChangeCounts added={page.lines_added} removed={page.lines_removed} />}
      {page.files_changed > 0 && <span>{counted(page.files_changed, "file")}</span>}
      {page.facts.length > 0 && (
        <span>{page.facts.map(({ fact }) => translated(fact.replaceAll("_", " "))).join(", ")}</span>
      )}
      {ignored > 0 && <span className="text-2">{t("{ignored} ignored", { ignored })}</span>}
      {said !== null && <span className="text-2">{verdictWords(said)}</span>}
      {onVerdict !== undefined && <VerdictButton page={page} onVerdict={onVerdict} />}
    </li>
  );
}

/** A button that accepts a page, or takes that back. */
function VerdictButton({
  page: { instance, said },
  onVerdict,
}: {
  page: ReviewPage;
  onVerdict: NonNullable<RowProps["onVerdict"]>;
}) {
  return (
    <Needs call={said === null ? "giveVerdict" : "takeVerdictBack"}>
      <Button
        size="compact-xs"
        variant={said === null ? "light" : "default"}
        aria-label={`${said === null ? t("Accept") : t("Take back")} ${instance.url}`}
        onClick={() => onVerdict(instance.id, said === null)}
      >
        {said === null ? t("Accept") : t("Take back")}
      </Button>
    </Needs>
  );
}
