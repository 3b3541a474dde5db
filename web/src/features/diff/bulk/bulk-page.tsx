import { useMediaQuery } from "@mantine/hooks";
import type { BulkDiff, BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { limits } from "@web-tester/contracts/limits";
import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { isNotFound, mayHelpAgain, messageOf } from "../../../api/api-error.js";
import { bulkDiffQuery, testObjectQuery } from "../../../api/queries.js";
import { useAddressParams } from "../../../ui/address-params.js";
import { Empty, EndLine, InlineError, RowSkeletons, Waiting } from "../../../ui/feedback/states.js";
import { bulkHelp } from "../../../ui/format/ways-to-look.js";
import { allShown, counted, someShown } from "../../../ui/format/words.js";
import { useFilterKey, useKeys } from "../../../ui/keys/use-keys.js";
import { Crumbs, Page, PageHead } from "../../../ui/layout/page.js";
import { PrintButton } from "../../../ui/layout/print-button.js";
import { usePrintWhole } from "../../../ui/layout/use-print-whole.js";
import { usePageMeta } from "../../../ui/page-meta.js";
import { type DiffChoice, writeAddress } from "../address.js";
import { OptionsPanel, Stepper, type ViewChoices } from "../diff-toolbar.js";
import { PatchButton, type PatchOf } from "../share/patch-button.js";
import { pairsOfBulk } from "../share/run-patch.js";
import { t } from "../../../texts/text.js";
import { type BulkAddress, readBulkAddress } from "./bulk-address.js";
import { BulkHead, bulkTitle } from "./bulk-head.js";
import { PageCard } from "./page-card.js";
import { PageList } from "./page-list.js";
import { PhoneMenu, type TakeAllProps } from "./phone-menu.js";
import { SkippedList } from "./skipped-list.js";
import { useCurrentPage } from "./use-current-page.js";
import { useNear } from "./use-near.js";
import classes from "./bulk.module.css";

/** The page that compares all pages of a test object at the same two indices; every choice is in the address. */
export function BulkPage() {
  const [search] = useSearchParams();
  const address = readBulkAddress(search);
  if (address.bulk === undefined) return <MissingObject />;
  return <Loaded key={`${address.bulk} ${address.idx1} ${address.idx2}`} objectId={address.bulk} address={address} />;
}

/** Shown where the address does not name a test object. */
function MissingObject() {
  usePageMeta(t("Bulk Diff"), t(bulkHelp), "/diff/bulk");
  return (
    <Page>
      <PageHead
        above={<Crumbs items={[{ label: t("Objects"), to: "/" }, { label: t("Bulk Diff") }]} />}
        title={t("Bulk Diff")}
      />
      <div className={classes["missing"]}>
        <InlineError
          tone="changed"
          title={t("Missing parameters")}
          detail={t("A bulk diff needs a test object. Open it from the object's page.")}
        />
        <Link to="/" className="link">
          {t("Go to Objects")}
        </Link>
      </div>
    </Page>
  );
}

interface LoadedProps {
  objectId: string;
  address: BulkAddress;
}

function Loaded({ objectId, address }: LoadedProps) {
  const object = useQuery(testObjectQuery(useQueryClient(), objectId)).data ?? undefined;
  const query = useInfiniteQuery(bulkDiffQuery(objectId, address.idx1, address.idx2));
  const sums = query.data?.pages.at(-1);
  const entries = useMemo(() => differing(query.data?.pages ?? []), [query.data]);
  const [whyOpened, setWhyOpened] = useState(false);
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const { current, cardsRef, onRead, go, step } = useCurrentPage(entries.length, query);
  const { choose, setIndices } = useChoices(address, sums, object?.name);
  useFilterKey();
  useKeys({ n: () => step(1), p: () => step(-1) });
  const choices = useViewChoices(address, isPhone);
  const differs = sums !== undefined && sums.diffCount > 0;
  const of = { objectId, address, object };
  const { whole, print } = usePrintWhole();
  const all = { patch: patchOfAll(of, sums?.diffCount ?? 0), whole, onPrint: print };
  return (
    <>
      <BulkHead
        {...{ object, address, sums, whyOpened }}
        onWhy={() => setWhyOpened(!whyOpened)}
        onIndex={(name, index) => setIndices({ [name]: index })}
      />
      <OptionsPanel choices={choices} isPhone={isPhone} onChoose={choose}>
        {differs &&
          (isPhone ? (
            <PhoneMenu {...all} />
          ) : (
            <ToolbarEnd {...all} current={current} total={sums.diffCount} onStep={step} />
          ))}
      </OptionsPanel>
      {isPhone && differs && <FloatingStepper current={current} total={sums.diffCount} onStep={step} />}
      <div className={classes["body"]}>
        <Notices query={query} sums={sums} />
        {sums !== undefined && <Skipped of={of} sums={sums} whyOpened={whyOpened} />}
        {differs && (
          <Columns
            {...{ of, query, entries, total: sums.diffCount, current, cardsRef, choices, whole, onRead, onGo: go }}
          />
        )}
      </div>
    </>
  );
}

/** The choices of view; the object stays the same until one changes, so that memoised cards need not render again. */
function useViewChoices({ by, as, numbers, context, ...address }: BulkAddress, isPhone: boolean) {
  const view = isPhone ? "unified" : address.view;
  return useMemo(() => ({ by, as, view, numbers, context }) as const, [by, as, view, numbers, context]);
}

/** What is compared, for all parts of the page. */
interface Of extends LoadedProps {
  object: TestObject | undefined;
}
type BulkQuery = UseInfiniteQueryResult<InfiniteData<BulkDiff>>;

/** Sets the page's title, and returns functions that change the choices in the address, for controls and keys. */
function useChoices(address: BulkAddress, sums: BulkDiff | undefined, name: string | undefined) {
  const [search, changeAddress] = useAddressParams();
  usePageMeta(
    sums === undefined ? t("Bulk Diff") : bulkTitle(sums),
    t("What differs on the pages of {name}.", { name: name ?? t("a test object") }),
    `/diff/bulk?${search.toString()}`,
  );
  const choose = (choice: DiffChoice) =>
    changeAddress((now) => writeAddress(now, choice), { replace: true, preventScrollReset: true });
  const setIndices = (values: Partial<Record<"idx1" | "idx2", string>>) =>
    changeAddress((now) => {
      for (const [index, value] of Object.entries(values)) now.set(index, value);
      return now;
    });
  useKeys({
    u: () => choose({ view: "unified" }),
    s: () => choose({ view: "split" }),
    x: () => setIndices({ idx1: String(address.idx2), idx2: String(address.idx1) }),
  });
  return { choose, setIndices };
}

/** The changes of all pages, for a download as one patch. */
const patchOfAll = ({ objectId, address: { idx1, idx2 }, object }: Of, total: number): PatchOf => ({
  name: `${object?.name ?? ""} ${idx1 + 1} ${idx2 + 1}`,
  total,
  pairs: (signal) => pairsOfBulk(objectId, idx1, idx2, signal),
});

interface ToolbarEndProps extends TakeAllProps {
  current: number;
  total: number;
  onStep: (by: 1 | -1) => void;
}

/** The end of the toolbar: steps from page to page, and downloads or prints all. */
function ToolbarEnd({ patch, current, total, whole, onStep, onPrint }: ToolbarEndProps) {
  return (
    <>
      <span className={classes["dense"]}>{t("Page")}</span>
      <Stepper current={current} total={total} of="page" onStep={onStep} />
      <PatchButton {...patch} />
      <PrintButton whole={whole} onPrint={onPrint} />
    </>
  );
}

function FloatingStepper({ current, total, onStep }: Pick<ToolbarEndProps, "current" | "total" | "onStep">) {
  return (
    <div className={classes["float"]} data-screen-only>
      <Stepper current={current} total={total} of="page" onStep={onStep} />
    </div>
  );
}

/** Says that the pages are being compared, could not be compared, or are very many. */
function Notices({ query, sums }: { query: BulkQuery; sums: BulkDiff | undefined }) {
  return (
    <>
      {query.isPending && (
        <Waiting words={t("Loading bulk diff…")}>
          <RowSkeletons count={8} />
        </Waiting>
      )}
      {query.isError && (sums === undefined || isNotFound(query.error)) && (
        <InlineError
          title={t("Error loading diff: {error}", { error: messageOf(query.error) })}
          onRetry={mayHelpAgain(query.error) ? () => void query.refetch() : undefined}
          action={
            isNotFound(query.error) && (
              <Link to="/" className="link">
                {t("Go to Objects")}
              </Link>
            )
          }
        />
      )}
      {sums !== undefined && sums.diffCount > limits.bulkDiffWarningPages && (
        <div className={classes["warning"]}>
          <InlineError
            tone="changed"
            title={t("This bulk diff has {pages}", { pages: counted(sums.diffCount, "page") })}
            detail={t("That is more than {many}. They load {some} at a time as you scroll.", {
              many: limits.bulkDiffWarningPages,
              some: limits.bulkDiffPageSize,
            })}
          />
        </div>
      )}
    </>
  );
}

interface SkippedProps {
  of: Of;
  sums: BulkDiff;
  whyOpened: boolean;
}

/** Lists what was not compared: behind "Why" where pages differ, directly where none does. */
function Skipped({ of: { objectId, address, object }, sums, whyOpened }: SkippedProps) {
  const skipped = (from: number) => (
    <SkippedList objectId={objectId} address={address} from={from} siteUrl={object?.url} />
  );
  if (sums.diffCount === 0) return <NoDiffs sums={sums}>{sums.totalInstances > 0 && skipped(0)}</NoDiffs>;
  return (
    whyOpened && (
      <section className={classes["whyPanel"]} aria-label={t("Why instances are skipped")}>
        {skipped(sums.diffCount)}
      </section>
    )
  );
}

interface ColumnsProps {
  of: Of;
  query: BulkQuery;
  entries: readonly BulkDiffEntry[];
  total: number;
  current: number;
  cardsRef: React.Ref<HTMLDivElement>;
  choices: ViewChoices;
  /** Whether every page is rendered, for printing. */
  whole: boolean;
  onRead: (index: number, isRead: boolean) => void;
  onGo: (index: number) => void;
}

/** The pages that differ: a list of them, and a card for each. */
function Columns({ of: { object }, query, entries, total, current, cardsRef, onGo, ...drawn }: ColumnsProps) {
  return (
    <div className={classes["columns"]}>
      <PageList
        entries={entries}
        total={total}
        current={current}
        siteUrl={object?.url}
        hasMore={query.hasNextPage && !query.isFetchNextPageError}
        onMore={() => query.isFetchingNextPage || void query.fetchNextPage()}
        onGo={onGo}
      />
      <div ref={cardsRef} className={classes["cards"]}>
        {entries.map((entry, index) => (
          <PageCard
            key={entry.instanceId}
            entry={entry}
            index={index}
            siteUrl={object?.url}
            canLook={object?.asset_snapshots !== false}
            {...drawn}
          />
        ))}
        <More query={query} shown={entries.length} total={total} whole={drawn.whole} />
      </div>
    </div>
  );
}

/** The pairs that differ, without duplicates: pages of the list may shift while new snapshots arrive. */
function differing(pages: readonly BulkDiff[]): BulkDiffEntry[] {
  const found = new Map<string, BulkDiffEntry>();
  for (const entry of pages.flatMap((page) => page.diffs))
    if (!entry.skipped && !found.has(entry.instanceId)) found.set(entry.instanceId, entry);
  return [...found.values()];
}

function NoDiffs({ sums, children }: { sums: BulkDiff; children: React.ReactNode }) {
  return (
    <>
      <Empty title={t("No diffs generated")}>
        {t("Total instances: {total} · Skipped: {skipped}", { total: sums.totalInstances, skipped: sums.skippedCount })}
      </Empty>
      <section className={classes["whyPanel"]} aria-label={t("Debug list")}>
        {children}
      </section>
    </>
  );
}

/** The end of the list: loads more when it is within 200 px of the screen. Source: specification §9. */
function More({
  query,
  shown,
  total,
  whole,
}: {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    fetchNextPage: () => unknown;
  };
  shown: number;
  total: number;
  whole: boolean;
}) {
  const [ref, isNear] = useNear(`${limits.infiniteScrollMarginPx}px 0px`);
  const near = isNear || whole;
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  useEffect(() => {
    if (near && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [near, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, shown]);
  return (
    <div ref={ref}>
      {isFetchNextPageError && (
        <InlineError title={t("More pages could not be loaded")} onRetry={() => void fetchNextPage()} />
      )}
      <EndLine>
        {hasNextPage
          ? t("{shown}, more as you scroll", { shown: someShown(shown, total, "changed page") })
          : allShown(total, "changed page")}
      </EndLine>
    </div>
  );
}
