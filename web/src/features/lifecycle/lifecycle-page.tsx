import { Button, NativeSelect, Skeleton } from "@mantine/core";
import { type LifecycleEntry, lifecycleKind } from "@web-tester/contracts/entities/lifecycle";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { testObjectQuery } from "../../api/queries.js";
import { lifecycleQuery } from "../../api/watch-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { lifecycleWords } from "../../ui/format/lifecycle-words.js";
import { pathOf } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { ObjectCrumbs } from "../../ui/layout/object-crumbs.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { toast } from "../../ui/toasts/toasts.js";
import { ShowMore } from "../../ui/layout/show-more.js";
import { t } from "../../texts/text.js";
import rowClasses from "../../ui/layout/rows.module.css";
import { saidWords } from "./said-words.js";
import classes from "./lifecycle.module.css";

/** The page that lists which pages of a site came, went, moved or were no longer linked. */
export function LifecyclePage({ id }: { id: string }) {
  const client = useQueryClient();
  const object = useQuery(testObjectQuery(client, id)).data;
  const { kind, of, setKind } = useFilter();
  const isOfAllRuns = Object.keys(of).length === 0;
  const query = useInfiniteQuery(lifecycleQuery(id, kind, of));
  const [undone, setUndone] = useState<LifecycleEntry>();
  usePageMeta(
    t("Pages that came and went on {name}", { name: object?.name ?? t("a test object") }),
    "",
    `/objects/${id}/lifecycle`,
  );
  const undo = useUndoing(id);
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const siteUrl = object?.url ?? "";
  return (
    <Page>
      <PageHead
        above={<ObjectCrumbs id={id} name={object?.name} here={t("Pages that came and went")} />}
        title={t("Pages that came and went")}
      />
      <KindFilter kind={kind} onKind={setKind} />
      {query.isPending && <Skeleton height={160} radius={8} />}
      {query.isError && <Failed error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && (
        <Card
          title={isOfAllRuns ? t("Newest first") : t("What one run saw")}
          aside={isOfAllRuns ? undefined : <Link to={`/objects/${id}/lifecycle`}>{t("All runs")}</Link>}
          flush
        >
          {items.length === 0 && <Nothing isOfAllKinds={kind === null} />}
          <Entries items={items} siteUrl={siteUrl} onUndo={setUndone} />
          <ShowMore query={query} />
        </Card>
      )}
      <UndoDialog entry={undone} siteUrl={siteUrl} onClose={() => setUndone(undefined)} onUndo={undo} />
    </Page>
  );
}

/** The filter, which is in the address: pages of one kind, those that one run saw, or those that belong to the review of one. */
function useFilter() {
  const [params, setParams] = useSearchParams();
  const kind = lifecycleKind.safeParse(params.get("kind")).data ?? null;
  const [run, review] = [params.get("run"), params.get("review")];
  const of = { ...(run !== null && { run_id: run }), ...(review !== null && { review_of: review }) };
  const setKind = (value: string) =>
    setParams({
      ...(value !== "" && { kind: value }),
      ...(run !== null && { run }),
      ...(review !== null && { review }),
    });
  return { kind, of, setKind };
}

/** Undoes a move: what was taken for one page that moved becomes two pages again. */
function useUndoing(id: string) {
  const client = useQueryClient();
  return async (entry: LifecycleEntry) => {
    try {
      await call("undoMove", { params: { id: entry.id }, body: {} });
      toast("success", t("They are two pages again."));
    } catch (error) {
      toast("error", messageOf(error));
    }
    await Promise.all([client.invalidateQueries({ queryKey: ["lifecycle", id] }), client.invalidateQueries()]);
  };
}

function KindFilter({ kind, onKind }: { kind: LifecycleEntry["kind"] | null; onKind: (kind: string) => void }) {
  return (
    <NativeSelect
      className={classes["filter"]}
      label={t("Show")}
      value={kind ?? ""}
      data={[
        { value: "", label: t("All") },
        ...lifecycleKind.options.map((value) => ({ value, label: t(lifecycleWords[value]) })),
      ]}
      onChange={(event) => onKind(event.currentTarget.value)}
    />
  );
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return <InlineError title={t("The list could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />;
}

function Nothing({ isOfAllKinds }: { isOfAllKinds: boolean }) {
  return (
    <Empty title={isOfAllKinds ? t("Nothing yet") : t("Nothing of this kind")}>
      {t(
        "From the second crawl or reading of sitemaps on, pages that are new, gone, moved or no longer linked are listed here.",
      )}
    </Empty>
  );
}

interface UndoProps {
  entry: LifecycleEntry | undefined;
  siteUrl: string;
  onClose: () => void;
  onUndo: (entry: LifecycleEntry) => unknown;
}

/** Asks for confirmation before a move is undone. */
function UndoDialog({ entry: undone, siteUrl, onClose, onUndo }: UndoProps) {
  return (
    <ConfirmDialog
      ask={
        undone && {
          title: t("Undo move"),
          sentence: t(
            "{from} and {to} become two pages again: what was fetched before stays with the old address, what was fetched since goes to the new one.",
            { from: pathOf(undone.url, siteUrl), to: pathOf(undone.to_url ?? "", siteUrl) },
          ),
          losses: [],
        }
      }
      onCancel={onClose}
      onConfirm={() => {
        if (undone !== undefined) void onUndo(undone);
        onClose();
      }}
    />
  );
}

interface EntriesProps {
  items: readonly LifecycleEntry[];
  siteUrl: string;
  onUndo: (entry: LifecycleEntry) => void;
}

function Entries({ items, siteUrl, onUndo }: EntriesProps) {
  return (
    <ul className={rowClasses["list"]} aria-label={t("Pages that came and went")}>
      {items.map((entry) => (
        <EntryRow key={entry.id} entry={entry} siteUrl={siteUrl} onUndo={() => onUndo(entry)} />
      ))}
    </ul>
  );
}

function EntryRow({ entry, siteUrl, onUndo }: { entry: LifecycleEntry; siteUrl: string; onUndo: () => void }) {
  const said = [
    saidWords(entry.said),
    entry.undone_at === null ? "" : t("undone {at}", { at: formatDate(entry.undone_at) }),
  ];
  return (
    <li className={classes["row"]}>
      <span className={classes["what"]}>{t(lifecycleWords[entry.kind])}</span>
      <div>
        <Link to={`/instances/${entry.instance.id}`} className={`mono ${classes["path"]}`}>
          {pathOf(entry.url, siteUrl)}
          {entry.to_url !== null && ` → ${pathOf(entry.to_url, siteUrl)}`}
        </Link>
        <div className="label">{said.filter((part) => part !== "").join(", ")}</div>
      </div>
      <div className={classes["acts"]}>
        <span className="label">{formatDate(entry.created_at)}</span>
        {entry.can_undo && (
          <Needs call="undoMove">
            <Button size="xs" variant="default" onClick={onUndo}>
              {t("Undo")}
            </Button>
          </Needs>
        )}
      </div>
    </li>
  );
}
