import { useMediaQuery } from "@mantine/hooks";
import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { diffQuery, fileDiffQuery, instanceSnapshotsQuery, snapshotQuery } from "../../api/queries.js";
import { isShared } from "../../ui/access/shared.js";
import { useAddressParams } from "../../ui/address-params.js";
import { Empty } from "../../ui/feedback/states.js";
import { useKeys } from "../../ui/keys/use-keys.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { Beside } from "./beside/beside.js";
import { type DiffAddress, type DiffChoice, readAddress, writeAddress } from "./address.js";
import { DiffHead, visualAddress } from "./diff-head.js";
import { DiffMore } from "./diff-more.js";
import { Identical, MissingParameters, Notices } from "./diff-notices.js";
import { DiffToolbar, Stepper } from "./diff-toolbar.js";
import { DiffView, type DiffViewHandle, SnapshotTitle } from "./diff-view.js";
import { buildRows, type RowModel } from "./row-model.js";
import { useLinkedChange, useLinkedLine } from "./use-linked-line.js";
import { useOpened } from "./use-opened.js";
import { useSteps } from "./use-steps.js";
import classes from "./diff.module.css";

/** A changed line that a person wants to ignore. */
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
  /** The dialog about what of a changed line to ignore; without it nothing can be ignored. */
  ignoreDialog?: IgnoreDialog;
  /** Renders the button that shares the compared pair. */
  share?: (pair: { a: string; b: string }) => React.ReactNode;
}

/** The page that shows how two snapshots differ; every choice is in the address. */
export function DiffPage({ ignoreDialog, share }: PageProps) {
  const [search, changeAddress] = useAddressParams();
  const address = readAddress(search);
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const { file } = address;
  const { query, diff, instance } = useCompared(address);
  usePageMeta(titleOf(diff), t("What differs between two snapshots of a page."), `/diff?${search.toString()}`);
  const { choose, swap } = choicesOf(diff, changeAddress);
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
        <MissingParameters canChoose={instance !== undefined} />
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

/** Functions that change the address: choosing other snapshots adds an entry to the browser's history, changing the view does not. */
function choicesOf(diff: DiffHunks | undefined, changeAddress: ReturnType<typeof useAddressParams>[1]) {
  const choose = (choice: DiffChoice) =>
    changeAddress((now) => writeAddress(now, choice), {
      replace: choice.a === undefined && choice.b === undefined,
      preventScrollReset: true,
    });
  const swap = () => diff !== undefined && !isShared && choose({ a: diff.b.id, b: diff.a.id });
  return { choose, swap };
}

/** Loads the comparison that an address names, and the instance whose snapshots can be selected. */
function useCompared(address: DiffAddress) {
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
    // a share link shows these two snapshots only
    enabled: instanceId !== undefined && !isShared,
  }).data;
  return { query, diff, instance };
}

function titleOf(diff: DiffHunks | undefined): string {
  return diff === undefined
    ? t("Diff")
    : t("{name} #{number} and #{number2}", {
        name: diff.instance.name || diff.instance.url,
        number: String(diff.a.number),
        number2: String(diff.b.number),
      });
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
  address: DiffAddress;
  isPhone: boolean;
  choose: (choice: DiffChoice) => void;
  swap: () => void;
  ignoreDialog: IgnoreDialog | undefined;
}

function Body(props: BodyProps) {
  const { diff, instance, query, address, isPhone } = props;
  const reading = useReading(props);
  const { total, current, step, dialog } = reading;
  const isShown = diff !== undefined && !query.isError;
  return (
    <>
      <Toolbar {...props} reading={reading} />
      <div className={classes["body"]} data-stale={query.isPlaceholderData || undefined}>
        <Notices diff={diff} instance={instance} query={query} />
        {isShown && address.file === undefined && <Beside a={diff.a.id} b={diff.b.id} objectId={diff.testobject.id} />}
        {isShown && <Difference diff={diff} numbers={address.numbers} reading={reading} />}
      </div>
      {dialog}
      {isPhone && total > 0 && (
        <div className={classes["float"]}>
          <Stepper current={current} total={total} onStep={step} />
        </div>
      )}
    </>
  );
}

type Reading = ReturnType<typeof useReading>;

/** The rows of a comparison, the current change, and the actions on it. */
function useReading({ diff, address, isPhone, choose, swap, ignoreDialog }: BodyProps) {
  const view = isPhone ? "unified" : address.view;
  const { opened, busy, open } = useOpened(diff?.b.id ?? "", diff?.as ?? "source", address.file);
  const model = useMemo(
    () => (diff === undefined ? undefined : buildRows(diff, view, opened, address.ignored)),
    [diff, view, opened, address.ignored],
  );
  const handle = useRef<DiffViewHandle>(null);
  const total = model?.changes.length ?? 0;
  const { current, pick, step } = useSteps(total, handle, useLinkedChange(model, address.line));
  const { ignore, dialog } = useIgnore({ diff, model, current, address, ignoreDialog });
  const { link, linked, onLine, copyLine } = useLinkedLine({ diff, address, model, open, choose });
  useBodyKeys({ diff, step, choose, swap, ignore, copy: () => copyLine(current) });
  const lines = { link, linked, onLine, copyLine };
  return { view, model, handle, total, current, pick, step, busy, open, ignore, dialog, ...lines };
}

function Toolbar({ diff, address, isPhone, choose, ignoreDialog, reading }: BodyProps & { reading: Reading }) {
  const { total, current, step, ignore, link, copyLine } = reading;
  const mayIgnore = ignoreDialog !== undefined && address.file === undefined && total > 0;
  return (
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
            onIgnore={mayIgnore ? ignore : undefined}
            onCopyLine={total > 0 && link !== undefined ? () => copyLine(current) : undefined}
          />
        )
      }
    />
  );
}

interface Acts extends Pick<BodyProps, "diff" | "choose" | "swap"> {
  step: (by: 1 | -1) => void;
  ignore: () => void;
  /** Copies the link to the current change. */
  copy: () => void;
}

function useBodyKeys({ diff, step, choose, swap, ignore, copy }: Acts) {
  const navigate = useNavigate();
  useKeys({
    i: ignore,
    l: copy,
    n: () => step(1),
    p: () => step(-1),
    u: () => choose({ view: "unified" }),
    s: () => choose({ view: "split" }),
    x: swap,
    v: () => diff?.assets === true && void navigate(visualAddress(diff)),
  });
}

interface Ignoring extends Pick<BodyProps, "diff" | "address" | "ignoreDialog"> {
  model: RowModel | undefined;
  current: number;
}

/** Opens the dialog that ignores the current change. */
function useIgnore({ diff, model, current, address, ignoreDialog }: Ignoring) {
  const [place, setPlace] = useState<ChangedPlace>();
  const ignore = () => {
    const line = changedLine(model, current);
    if (ignoreDialog === undefined || diff === undefined || address.file !== undefined || line === undefined) return;
    setPlace({ objectId: diff.testobject.id, a: diff.a.id, b: diff.b.id, as: diff.as, ...line });
  };
  // an address with `ignore=1` opens the dialog for the first change
  const asks = new URLSearchParams(useLocation().search).get("ignore") === "1";
  const [wasAsked, setWasAsked] = useState(false);
  if (asks && !wasAsked && (model?.changes.length ?? 0) > 0) {
    setWasAsked(true);
    ignore();
  }
  return { ignore, dialog: place !== undefined && ignoreDialog?.(place, () => setPlace(undefined)) };
}

/** The first line of a change that is not ignored, on the newer side if possible, because rules are suggested from present content. */
function changedLine(model: RowModel | undefined, at: number): Pick<ChangedPlace, "side" | "line"> | undefined {
  const change = model?.changes[at];
  const rows = change === undefined ? [] : (model?.rows.slice(change.first, change.last + 1) ?? []);
  const counted = (side: "a" | "b") =>
    rows.flatMap((row) => (row.type === "line" && row[side]?.ignored === undefined ? (row[side]?.no ?? []) : []))[0];
  const side = counted("b") === undefined ? "a" : "b";
  const line = counted(side);
  return line === undefined ? undefined : { side, line };
}

interface DifferenceProps {
  diff: DiffHunks;
  numbers: boolean;
  reading: Reading;
}

/** The difference itself, or a note that there is none. */
function Difference({ diff, numbers, reading }: DifferenceProps) {
  const { view, model, handle, current, pick, busy, open, link, linked, onLine } = reading;
  const hasRows = model !== undefined && model.rows.length > 0;
  return (
    <>
      {diff.identical && <Identical diff={diff} />}
      {!hasRows && !diff.identical && <Empty title={t("No diff data available")} />}
      {hasRows && (
        <DiffView
          ref={handle}
          diff={diff}
          model={model}
          titles={[
            <SnapshotTitle key="a" side="A" snapshot={diff.a} />,
            <SnapshotTitle key="b" side="B" snapshot={diff.b} />,
          ]}
          view={view}
          numbers={numbers}
          current={diff.identical ? -1 : current}
          busyGap={busy}
          onPick={pick}
          onOpen={(gap) => void open(gap)}
          link={link}
          linked={linked}
          onLine={onLine}
        />
      )}
    </>
  );
}

/**
 * Loads one existing side where the two cannot be compared, the newer one if possible: an address with one side only, or with one that
 * is deleted, still tells whose snapshots to offer.
 */
function useOneSide({ a, b }: { a?: string | undefined; b?: string | undefined }, isWanted: boolean) {
  const newer = useQuery({ ...snapshotQuery(b ?? ""), enabled: isWanted && b !== undefined });
  const isOlderWanted = isWanted && a !== undefined && a !== b && (b === undefined || newer.isError);
  const older = useQuery({ ...snapshotQuery(a ?? ""), enabled: isOlderWanted });
  return isWanted ? (newer.data ?? older.data) : undefined;
}

/** Removes the form from a query, since files have only one. */
function withoutForm(query: ReturnType<typeof readAddress>["query"]) {
  const { as: _, ...rest } = query ?? {};
  return rest;
}
