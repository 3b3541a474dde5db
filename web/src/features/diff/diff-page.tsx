import { Skeleton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { isNotFound, mayHelpAgain, messageOf } from "../../api/api-error.js";
import { besideQuery, diffQuery, fileDiffQuery, instanceSnapshotsQuery, snapshotQuery } from "../../api/queries.js";
import { isShared } from "../../ui/access/shared.js";
import { useAddressParams } from "../../ui/address-params.js";
import { Empty, InlineError, useSlow } from "../../ui/feedback/states.js";
import { useKeys } from "../../ui/keys/use-keys.js";
import { Page } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { Beside } from "./beside/beside.js";
import { type DiffChoice, readAddress, writeAddress } from "./address.js";
import { DiffHead, visualAddress } from "./diff-head.js";
import { DiffMore } from "./diff-more.js";
import { DiffToolbar, Stepper } from "./diff-toolbar.js";
import { DiffView, type DiffViewHandle, SnapshotTitle } from "./diff-view.js";
import { buildRows } from "./row-model.js";
import { useLinkedLine } from "./use-linked-line.js";
import { useOpened } from "./use-opened.js";
import { useSteps } from "./use-steps.js";
import classes from "./diff.module.css";

/** A changed line that is to be ignored. */
export interface ChangedPlace {
  readonly objectId: string;
  readonly a: string;
  readonly b: string;
  readonly as: ContentForm;
  readonly side: "a" | "b";
  readonly line: number;
}
type IgnoreDialog = (place: ChangedPlace, onClose: () => void) => React.ReactNode;

interface PageProps {
  /** Asks what of a changed line is to be ignored; without it nothing is. */
  ignoreDialog?: IgnoreDialog;
  /** Shares the two that are compared. */
  share?: (pair: { a: string; b: string }) => React.ReactNode;
}

/** Two snapshots and what differs; everything that can be chosen is in the address. */
export function DiffPage({ ignoreDialog, share }: PageProps) {
  const [search, changeAddress] = useAddressParams();
  const address = readAddress(search);
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const { file } = address;
  const ofHtml = useQuery({
    ...diffQuery(address.query ?? {}),
    enabled: address.query !== undefined && file === undefined,
    placeholderData: keepPreviousData,
  });
  const ofFile = useQuery({
    ...fileDiffQuery({ ...withoutForm(address.query), url: file ?? "" }),
    enabled: address.query !== undefined && file !== undefined,
    placeholderData: keepPreviousData,
  });
  const query = file === undefined ? ofHtml : ofFile;
  const diff: DiffHunks | undefined = address.query === undefined ? undefined : query.data;
  const half = useOneSide(address, address.query === undefined || query.isError);
  const instanceId = diff?.instance.id ?? half?.testinstance.id;
  const instance = useQuery({
    ...instanceSnapshotsQuery(instanceId ?? ""),
    // a share link shows these two alone
    enabled: instanceId !== undefined && !isShared,
  }).data;

  const name =
    diff === undefined
      ? t("Diff")
      : t("{name} #{number} and #{number2}", {
          name: diff.instance.name || diff.instance.url,
          number: String(diff.a.number),
          number2: String(diff.b.number),
        });
  usePageMeta(name, t("What differs between two snapshots of a page."), `/diff?${search.toString()}`);

  const choose = (choice: DiffChoice) =>
    changeAddress((now) => writeAddress(now, choice), {
      replace: choice.a === undefined && choice.b === undefined,
      preventScrollReset: true,
    });
  const swap = () => diff !== undefined && !isShared && choose({ a: diff.b.id, b: diff.a.id });
  const handlers = { choose, swap, isPhone, ignoreDialog };

  return (
    <>
      <DiffHead
        instance={instance}
        diff={diff}
        a={diff?.a.id ?? address.a}
        b={diff?.b.id ?? address.b}
        isPhone={isPhone}
        file={file}
        onCompare={(a, b) => choose({ a, b })}
        onSwap={swap}
        share={diff !== undefined && file === undefined && share?.({ a: diff.a.id, b: diff.b.id })}
      />
      {address.query === undefined ? (
        <Page wide>
          <div className={classes["message"]}>
            <InlineError
              tone="changed"
              title={t("Missing parameters")}
              detail={t(
                "A comparison needs two snapshots. Choose them here, or on the page of a test object or an instance.",
              )}
            />
            <Link to="/" className="link">
              {t("Go to Objects")}
            </Link>
          </div>
        </Page>
      ) : (
        <Body
          key={`${diff?.a.id} ${diff?.b.id}`}
          diff={diff}
          instance={instance}
          query={query}
          address={address}
          {...handlers}
        />
      )}
    </>
  );
}

interface BodyProps {
  diff: DiffHunks | undefined;
  instance: TestInstance | undefined;
  query: {
    isPending: boolean;
    isError: boolean;
    isPlaceholderData: boolean;
    error: Error | null;
    refetch: () => unknown;
  };
  address: ReturnType<typeof readAddress>;
  isPhone: boolean;
  choose: (choice: DiffChoice) => void;
  swap: () => void;
  ignoreDialog: IgnoreDialog | undefined;
}

function Body({ diff, instance, query, address, isPhone, choose, swap, ignoreDialog }: BodyProps) {
  const navigate = useNavigate();
  const view = isPhone ? "unified" : address.view;
  const { opened, busy, open } = useOpened(diff?.b.id ?? "", diff?.as ?? "source", address.file);
  const model = useMemo(
    () => (diff === undefined ? undefined : buildRows(diff, view, opened, address.ignored)),
    [diff, view, opened, address.ignored],
  );
  const [place, setPlace] = useState<ChangedPlace>();
  const handle = useRef<DiffViewHandle>(null);
  const total = model?.changes.length ?? 0;
  const { current, pick, step } = useSteps(total, handle);
  const ignore = () => {
    const change = model?.changes[current];
    const rows = change === undefined ? [] : (model?.rows.slice(change.first, change.last + 1) ?? []);
    // the newer side first: rules are read from what is there now
    const counted = (side: "a" | "b") =>
      rows.flatMap((row) => (row.type === "line" && row[side]?.ignored === undefined ? (row[side]?.no ?? []) : []))[0];
    const side = counted("b") === undefined ? "a" : "b";
    const line = counted(side);
    if (ignoreDialog === undefined || diff === undefined || address.file !== undefined || line === undefined) return;
    setPlace({ objectId: diff.testobject.id, a: diff.a.id, b: diff.b.id, as: diff.as, side, line });
  };
  // a link that says so asks what of the first change is to be ignored
  const asks = new URLSearchParams(useLocation().search).get("ignore") === "1";
  const [wasAsked, setWasAsked] = useState(false);
  if (asks && !wasAsked && total > 0) {
    setWasAsked(true);
    ignore();
  }
  const { link, linked, onLine, copyLine } = useLinkedLine({ diff, address, model, open, choose });
  useKeys({
    i: ignore,
    l: () => copyLine(current),
    n: () => step(1),
    p: () => step(-1),
    u: () => choose({ view: "unified" }),
    s: () => choose({ view: "split" }),
    x: swap,
    v: () => diff?.assets === true && void navigate(visualAddress(diff)),
  });

  const slow = useSlow(query.isPending);
  const hasRows = model !== undefined && model.rows.length > 0;
  return (
    <>
      <DiffToolbar
        address={address}
        diff={diff}
        current={current}
        isPhone={isPhone}
        onChoose={choose}
        total={total}
        onStep={step}
        more={
          diff !== undefined && (
            <DiffMore
              diff={diff}
              ignored={address.ignored}
              onShowIgnored={(ignored) => choose({ ignored })}
              onIgnore={ignoreDialog !== undefined && address.file === undefined && total > 0 ? ignore : undefined}
              onCopyLine={total > 0 && link !== undefined ? () => copyLine(current) : undefined}
            />
          )
        }
      />
      <div className={classes["body"]} data-stale={query.isPlaceholderData || undefined}>
        {query.isPending && <Loading shown={slow} />}
        {query.isError && (
          <div className={classes["message"]}>
            <InlineError
              title={t("Error loading diff: {error}", { error: query.error === null ? "" : messageOf(query.error) })}
              detail={
                isNotFound(query.error) && instance !== undefined ? t("Choose others of this page above.") : undefined
              }
              onRetry={mayHelpAgain(query.error) ? () => void query.refetch() : undefined}
              action={
                instance === undefined &&
                isNotFound(query.error) && (
                  <Link to="/" className="link">
                    {t("Go to Objects")}
                  </Link>
                )
              }
            />
          </div>
        )}
        {diff !== undefined && !query.isError && diff.coarse && (
          <div className={classes["message"]}>
            <InlineError
              tone="changed"
              title={t("This comparison is coarser than usual")}
              detail={t(
                "The pages are so large or so different that a limit was hit. What is shown is correct, but smaller differences may exist.",
              )}
            />
          </div>
        )}
        {diff !== undefined && !query.isError && diff.truncated && (
          <div className={classes["message"]}>
            <InlineError
              tone="changed"
              title={t("Not all changes are shown")}
              detail={t(
                "There are more changed lines than one comparison shows. The counts are of the whole; the list ends early.",
              )}
            />
          </div>
        )}
        {diff !== undefined && !query.isError && address.file === undefined && (
          <Beside a={diff.a.id} b={diff.b.id} objectId={diff.testobject.id} />
        )}
        {diff !== undefined && !query.isError && diff.identical && <Identical diff={diff} />}
        {diff !== undefined && !query.isError && !hasRows && !diff.identical && (
          <Empty title={t("No diff data available")} />
        )}
        {diff !== undefined && !query.isError && hasRows && (
          <DiffView
            ref={handle}
            diff={diff}
            model={model}
            titles={[
              <SnapshotTitle key="a" side="A" snapshot={diff.a} />,
              <SnapshotTitle key="b" side="B" snapshot={diff.b} />,
            ]}
            view={view}
            numbers={address.numbers}
            current={diff.identical ? -1 : current}
            busyGap={busy}
            onPick={pick}
            onOpen={(gap) => void open(gap)}
            link={link}
            linked={linked}
            onLine={onLine}
          />
        )}
      </div>
      {place !== undefined && ignoreDialog?.(place, () => setPlace(undefined))}
      {isPhone && total > 0 && (
        <div className={classes["float"]}>
          <Stepper current={current} total={total} onStep={step} />
        </div>
      )}
    </>
  );
}

/**
 * A side that is there where the two cannot be compared, the newer one first: an address that names one side only, or one that is
 * gone, still knows whose snapshots to offer.
 */
function useOneSide({ a, b }: { a?: string | undefined; b?: string | undefined }, isWanted: boolean) {
  const newer = useQuery({ ...snapshotQuery(b ?? ""), enabled: isWanted && b !== undefined });
  const isOlderWanted = isWanted && a !== undefined && a !== b && (b === undefined || newer.isError);
  const older = useQuery({ ...snapshotQuery(a ?? ""), enabled: isOlderWanted });
  return isWanted ? (newer.data ?? older.data) : undefined;
}

/** Files have one form only. */
function withoutForm(query: ReturnType<typeof readAddress>["query"]) {
  const { as: _, ...rest } = query ?? {};
  return rest;
}

/** Said of the HTML where files or headers differ all the same. */
function Identical({ diff: { a, b, as } }: { diff: DiffHunks }) {
  const beside = useQuery(besideQuery({ a: a.id, b: b.id })).data;
  const differs = beside !== undefined && beside.files.length + beside.facts.length > 0;
  if (as !== "source")
    return (
      <Empty
        title={
          as === "text"
            ? t("The text of the two snapshots is identical")
            : t("Formatted, the two snapshots are identical")
        }
      >
        {as === "text"
          ? t(
              "A reader gets the same from both. Formatted and Source show what differs in the markup, if anything does.",
            )
          : t("They hold the same elements and texts. Source shows differences in white space, if there are any.")}
      </Empty>
    );
  return (
    <Empty title={differs ? t("The HTML of the two snapshots is identical") : t("The two snapshots are identical")}>
      {t("Every line of snapshot {number} is the same in snapshot {number2}.", {
        number: String(a.number),
        number2: String(b.number),
      })}
    </Empty>
  );
}

function Loading({ shown }: { shown: boolean }) {
  return (
    <div className={classes["loading"]} aria-busy="true" data-shown={shown || undefined}>
      <p className="label" role="status">
        {shown ? t("Loading diff…") : ""}
      </p>
      {Array.from({ length: 24 }, (_, index) => (
        <Skeleton key={index} height={10} radius={3} width={`${30 + ((index * 37) % 60)}%`} />
      ))}
    </div>
  );
}
