import { SegmentedControl, Skeleton } from "@mantine/core";
import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { testObjectQuery } from "../../api/queries.js";
import { useConfirm } from "../../ui/dialog/use-confirm.js";
import { NotLoaded } from "../../ui/feedback/not-loaded.js";
import { InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { Page } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { BulkDiffCard } from "./bulk-diff-card.js";
import { confirmations } from "./confirmations.js";
import { DiffCard } from "./diff-card.js";
import { NextStep } from "./next-step.js";
import { InstanceList } from "./instance-list.js";
import { Facts, ObjectHead } from "./object-head.js";
import { OptionsCard } from "./options-card.js";
import { InstanceCard, SnapshotsCard } from "./collect-cards.js";
import { SearchCard } from "./search-card.js";
import { SitemapsCard } from "./sitemaps-card.js";
import { RemovalNotice } from "./removal-notice.js";
import { RunningPanel } from "./running-panel.js";
import { TimelinePlace } from "./timeline-place.js";
import { useCalm } from "./use-calm.js";
import { type ObjectActions, useObjectActions } from "./use-object-actions.js";
import classes from "./object.module.css";

const Timeline = lazy(() => import("./timeline.js"));

/** The page of one site: what is running, its pages, and the tools to collect and compare. */
export function ObjectPage({ id }: { id: string }) {
  const client = useQueryClient();
  const query = useQuery(testObjectQuery(client, id));
  const name = query.data?.name ?? t("Test object");
  usePageMeta(
    name,
    query.data ? t("Pages, snapshots and changes of {url}", { url: query.data.url }) : t("A website under watch."),
    `/objects/${id}`,
  );
  if (query.isPending) return <Loading />;
  if (!query.data)
    return (
      <NotLoaded
        here={t("Test object")}
        missing={query.isError ? undefined : t("Test object not found.")}
        failed={t("The test object could not be loaded")}
        detail={query.isError ? messageOf(query.error) : undefined}
        onRetry={() => void query.refetch()}
      />
    );
  return <Loaded object={query.data} />;
}

type Tab = "instances" | "collect" | "compare";

function Loaded({ object }: { object: TestObject }) {
  const actions = useObjectActions(object.id);
  const [dialog, ask] = useConfirm();
  const [tab, setTab] = useState<Tab>("instances");
  const deleting = isBeingDeleted(object);

  const calm = useCalm(object);
  const deleteInstance = actions.deleteInstance.mutate;
  const askInstance = useCallback(
    (instance: TestInstanceListItem) => ask(confirmations.deleteInstance(instance), () => deleteInstance(instance)),
    [ask, deleteInstance],
  );

  return (
    <Page>
      <ObjectHead
        object={object}
        actions={actions}
        onDelete={() => ask(confirmations.deleteObject(object), () => actions.deleteObject.mutate())}
      />
      <Facts object={object} />
      <Notices object={object} />
      <NextStep object={object} />
      <RunningPanel object={object} actions={actions} />
      {object.history.length > 0 && (
        <Suspense fallback={<TimelinePlace object={object} />}>
          <Timeline object={object} />
        </Suspense>
      )}
      <Tabs tab={tab} onTab={setTab} />
      <div className={classes["columns"]} data-tab={tab}>
        <div className={classes["instances"]}>
          <InstanceList object={calm} disabled={deleting} onDelete={askInstance} />
        </div>
        <Rail object={object} calm={calm} actions={actions} ask={ask} />
      </div>
      {dialog}
    </Page>
  );
}

/** Notices above everything else: that the object is being deleted, or that its pages cannot be fetched properly. */
function Notices({ object }: { object: TestObject }) {
  return (
    <>
      {object.removal !== null && <RemovalNotice removal={object.removal} name={object.name} />}
      {object.deleting && (
        <div className={classes["notice"]}>
          <InlineError
            tone="changed"
            title={t("This test object is being deleted")}
            detail={t("It disappears as soon as its snapshots are gone.")}
          />
        </div>
      )}
      {object.browser_problem !== null && (
        <div className={classes["notice"]}>
          <InlineError
            tone={object.fetch_mode === "browser" ? "failed" : "changed"}
            title={
              object.fetch_mode === "browser"
                ? t("Pages of this test object cannot be fetched now")
                : t("Pages built by scripts are stored only as served")
            }
            detail={object.browser_problem}
          />
        </div>
      )}
    </>
  );
}

function isBeingDeleted(object: TestObject): boolean {
  return (
    object.deleting ||
    object.progress.deletion.running ||
    (object.removal !== null && object.removal.kind !== "instances")
  );
}

/** Selects which of the three columns a narrow screen shows. */
function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  return (
    <SegmentedControl
      className={classes["tabs"]}
      fullWidth
      aria-label={t("Part of this page")}
      value={tab}
      onChange={onTab}
      data={[
        { value: "instances" as const, label: t("Instances") },
        { value: "collect" as const, label: t("Collect") },
        { value: "compare" as const, label: t("Compare") },
      ]}
    />
  );
}

interface RailProps {
  object: TestObject;
  /** The same object, which stays unchanged while only counters of running bars change. */
  calm: TestObject;
  actions: ObjectActions;
  ask: ReturnType<typeof useConfirm>[1];
}

/** The column of tools to collect and to compare. */
function Rail({ object, calm, actions, ask }: RailProps) {
  const deleting = isBeingDeleted(object);
  return (
    <div className={classes["rail"]} data-screen-only>
      <div className={classes["collect"]}>
        <p className="label">{t("Collect")}</p>
        <SitemapsCard object={calm} actions={actions} disabled={deleting} />
        <SnapshotsCard
          object={object}
          actions={actions}
          disabled={deleting}
          onDelete={() => ask(confirmations.deleteSnapshots(object), () => actions.deleteSnapshots.mutate())}
        />
        <InstanceCard
          object={object}
          actions={actions}
          disabled={deleting}
          onDelete={() => ask(confirmations.deleteInstances(object), () => actions.deleteInstances.mutate())}
        />
        <OptionsCard object={calm} />
      </div>
      <div className={classes["compare"]}>
        <p className="label">{t("Compare")}</p>
        <DiffCard object={calm} />
        <BulkDiffCard object={calm} />
        <SearchCard objectId={calm.id} />
      </div>
    </div>
  );
}

function Loading() {
  return (
    <Page>
      <Waiting words={t("Loading test object…")}>
        <Skeleton height={20} width={220} radius={4} mb={10} />
        <Skeleton height={10} width={260} radius={3} mb={28} />
        <div className={classes["columns"]} data-tab="instances">
          <div className={classes["skeleton"]}>
            <RowSkeletons count={8} height={60} />
          </div>
          <div className={classes["skeleton"]}>
            <RowSkeletons count={3} height={120} />
          </div>
        </div>
      </Waiting>
    </Page>
  );
}
