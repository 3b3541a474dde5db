import { Button, Skeleton } from "@mantine/core";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { limits } from "@web-tester/contracts/limits";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconCamera, IconSearch, IconTrash } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { isNotFound, messageOf } from "../../api/api-error.js";
import { instanceQuery } from "../../api/queries.js";
import { Needs } from "../../ui/access/needs.js";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.js";
import { NotLoaded } from "../../ui/feedback/not-loaded.js";
import { Empty, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted, readable } from "../../ui/format/words.js";
import { BackLink, Page, PageHead, SiteLink } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { isUnsettled } from "../../ui/status/snapshot-status.js";
import { WorkButton } from "../../ui/feedback/work-button.js";
import { t } from "../../texts/text.js";
import { ChangesCard, DetailsCard, LatestPreviewCard } from "./instance-rail.js";
import { FailedStreak } from "./failed-streak.js";
import { type Placed, streaksOf } from "./streaks.js";
import { SnapshotCard } from "./snapshot-card.js";
import { useInstanceActions } from "./use-instance-actions.js";
import classes from "./instance.module.css";

/**
 * The page of one instance over time.
 * @param notice content above everything else
 */
export function InstancePage({ id, notice }: { id: string; notice: React.ReactNode }) {
  const query = useInfiniteQuery({
    ...instanceQuery(id),
    // Events tell when a fetch ends; the result of comparing may come a moment later.
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.testsnapshots.some(isUnsettled)) === true ? 3_000 : false,
  });
  const instance = query.data?.pages[0];
  const name = instance === undefined ? t("Instance") : instance.name || instance.url;
  usePageMeta(
    name,
    instance === undefined
      ? t("A page of a website over time.")
      : t("Snapshots and changes of {url}", { url: instance.url }),
    `/instances/${id}`,
  );
  if (query.isPending) return <Loading />;
  // also where it was deleted while this page was open
  if (instance === undefined || isNotFound(query.error))
    return (
      <NotLoaded
        here={t("Instance")}
        missing={isNotFound(query.error) ? t("Instance not found.") : undefined}
        failed={t("Failed to load instance")}
        detail={query.error === null ? undefined : messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  const snapshots = query.data?.pages.flatMap((page) => page.testsnapshots) ?? [];
  return (
    <Loaded
      instance={instance}
      notice={notice}
      snapshots={dedupe(snapshots)}
      more={{
        has: query.hasNextPage,
        loading: query.isFetchingNextPage,
        failed: query.isFetchNextPageError,
        load: () => void query.fetchNextPage(),
      }}
    />
  );
}

/** Removes duplicates: a snapshot that is added while pages are loaded shifts the following pages by one. */
const dedupe = (snapshots: readonly TestSnapshotSummary[]): TestSnapshotSummary[] => [
  ...new Map(snapshots.map((snapshot) => [snapshot.id, snapshot])).values(),
];

interface More {
  has: boolean;
  loading: boolean;
  failed: boolean;
  load: () => void;
}

interface LoadedProps {
  instance: TestInstance;
  notice: React.ReactNode;
  snapshots: readonly TestSnapshotSummary[];
  more: More;
}

function Loaded({ instance, notice, snapshots, more }: LoadedProps) {
  const actions = useInstanceActions(instance);
  const [asking, setAsking] = useState(false);
  const label = readable(instance.name || instance.url || instance.id);
  const total = Math.max(instance.snapshots_total, snapshots.length);
  return (
    <Page>
      <PageHead
        above={<BackLink to={`/objects/${instance.testobject.id}`}>{instance.testobject.name}</BackLink>}
        title={label}
        below={<SiteLink url={instance.url} />}
        actions={<Actions instance={instance} actions={actions} onDelete={() => setAsking(true)} />}
      />
      {notice}
      <div className={classes["columns"]}>
        <Timeline instance={instance} snapshots={snapshots} total={total} more={more} />
        <aside className={classes["rail"]} aria-label={t("About this instance")}>
          <ChangesCard snapshots={snapshots} />
          <LatestPreviewCard instance={instance} snapshots={snapshots} />
          <DetailsCard instance={instance} snapshots={snapshots} />
        </aside>
      </div>
      <DeleteDialog
        isAsking={asking}
        label={label}
        count={total}
        onCancel={() => setAsking(false)}
        onDelete={() => {
          setAsking(false);
          actions.remove.mutate();
        }}
      />
    </Page>
  );
}

interface ActionsProps {
  instance: TestInstance;
  actions: ReturnType<typeof useInstanceActions>;
  onDelete: () => void;
}

function Actions({ instance, actions, onDelete }: ActionsProps) {
  return (
    <>
      <Button
        variant="default"
        component={Link}
        to={`/objects/${instance.testobject.id}/search?instance=${instance.id}`}
        leftSection={<IconSearch size={15} aria-hidden />}
      >
        {t("Search")}
      </Button>
      <Needs call="deleteTestInstance">
        <WorkButton
          variant="subtle"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={onDelete}
          isWorking={actions.remove.isPending}
        >
          {t("Delete Instance")}
        </WorkButton>
      </Needs>
      <Needs call="createTestSnapshot">
        <WorkButton
          leftSection={<IconCamera size={15} aria-hidden />}
          onClick={() => actions.snapshot.mutate()}
          isWorking={actions.snapshot.isPending}
        >
          {t("New Snapshot")}
        </WorkButton>
      </Needs>
    </>
  );
}

interface TimelineProps {
  instance: TestInstance;
  snapshots: readonly TestSnapshotSummary[];
  /** The number of all snapshots, also of those that are not loaded yet. */
  total: number;
  more: More;
}

function Timeline({ instance, snapshots, total, more }: TimelineProps) {
  return (
    <section aria-label={t("Snapshots")}>
      <p className={classes["count"]}>
        <b>{counted(total, "snapshot")}</b> {total > 1 && <span className="text-2">{t("newest first")}</span>}
      </p>
      {snapshots.length === 0 && (
        <Empty title={t("No snapshots yet")}>{t("Take the first one with New Snapshot.")}</Empty>
      )}
      <ol>{streaksOf(snapshots).map((streak) => entryOf(streak, instance, snapshots))}</ol>
      {snapshots.length > 0 && <End more={more} left={total - snapshots.length} since={snapshots.at(-1)?.created_at} />}
    </section>
  );
}

/** Renders a snapshot, or several failures in a row as one entry. */
function entryOf(streak: readonly Placed[], instance: TestInstance, snapshots: readonly TestSnapshotSummary[]) {
  const cards = streak.map(({ snapshot, index }) => (
    <SnapshotCard
      key={snapshot.id}
      snapshot={snapshot}
      isLatest={index === 0}
      previewsOff={!instance.testobject.asset_snapshots}
      comparedNumber={numberOf(snapshots, snapshot)}
      statusBefore={statusBefore(snapshots, index)}
    />
  ));
  const [newest] = streak;
  if (newest === undefined || streak.length === 1) return cards;
  return (
    <FailedStreak
      key={newest.snapshot.id}
      cards={cards}
      since={streak.at(-1)?.snapshot.created_at ?? newest.snapshot.created_at}
      lastGood={snapshots.slice(newest.index).find(({ state }) => state === "done")}
    />
  );
}

interface DeleteProps {
  isAsking: boolean;
  label: string;
  /** How many snapshots would be lost. */
  count: number;
  onCancel: () => void;
  onDelete: () => void;
}

function DeleteDialog({ isAsking, label, count, onCancel, onDelete }: DeleteProps) {
  return (
    <ConfirmDialog
      ask={
        isAsking
          ? {
              title: t("Delete instance"),
              sentence: t('Are you sure you want to delete "{label}"? This will delete all its snapshots.', {
                label,
              }),
              losses: [{ label: t("Snapshots"), count }],
            }
          : undefined
      }
      onCancel={onCancel}
      onConfirm={onDelete}
    />
  );
}

/** The number of the snapshot that this one was compared with. */
const numberOf = (snapshots: readonly TestSnapshotSummary[], snapshot: TestSnapshotSummary): number | undefined =>
  snapshot.compared_with === null
    ? undefined
    : (snapshots.find((other) => other.id === snapshot.compared_with)?.number ?? Math.max(1, snapshot.number - 1));

function End({ more, left, since }: { more: More; left: number; since: string | undefined }) {
  const sentinel = useRef<HTMLParagraphElement>(null);
  const { has, loading, failed, load } = more;
  useEffect(() => {
    const element = sentinel.current;
    if (element === null || !has || loading || failed) return undefined;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && load(), {
      rootMargin: `${limits.infiniteScrollMarginPx}px`,
    });
    observer.observe(element);
    return () => observer.disconnect();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [has, loading, failed, left]);
  if (failed) return <InlineError title={t("Older snapshots could not be loaded")} onRetry={load} />;
  return (
    <p ref={sentinel} className={classes["end"]}>
      {has
        ? t("{snapshots} load as you scroll", { snapshots: counted(left, "older snapshot") })
        : t("First snapshot {since}", { since: formatDate(since) })}
    </p>
  );
}

function Loading() {
  return (
    <Page>
      <Waiting words={t("Loading instance…")}>
        <Skeleton height={20} width={220} radius={4} mb={10} />
        <Skeleton height={10} width={320} radius={3} mb={28} />
        <div className={classes["columns"]}>
          <RowSkeletons count={4} height={118} />
          <RowSkeletons count={1} height={160} />
        </div>
      </Waiting>
    </Page>
  );
}

/** The HTTP status of the last good snapshot before one that failed with another status; null where there is none. */
function statusBefore(snapshots: readonly TestSnapshotSummary[], index: number): number | null {
  const snapshot = snapshots[index];
  if (snapshot?.state !== "failed" || snapshot.http_status === null) return null;
  const before = snapshots.slice(index + 1).find(({ state }) => state === "done")?.http_status ?? null;
  // 304 (not modified) confirms the good answer before it
  const good = before === 304 ? 200 : before;
  return good === snapshot.http_status ? null : good;
}
