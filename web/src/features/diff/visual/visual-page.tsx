import { Skeleton } from "@mantine/core";
import type { PictureRegion, VisualDiff } from "@web-tester/contracts/entities/compare";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useNavigate } from "react-router";
import { mayHelpAgain, messageOf } from "../../../api/api-error.js";
import { visualPicturesQuery, visualQuery, visualTextQuery } from "../../../api/queries.js";
import { useAddressParams } from "../../../ui/address-params.js";
import { Empty, InlineError, Waiting } from "../../../ui/feedback/states.js";
import { useKeys } from "../../../ui/keys/use-keys.js";
import { Page } from "../../../ui/layout/page.js";
import { usePageMeta } from "../../../ui/page-meta.js";
import type { SheetPair } from "./sheets-props.js";
import { Sheets } from "./sheets.js";
import { readVisualAddress, type VisualAddress, type VisualChoice, writeVisualAddress } from "./visual-address.js";
import { VisualHead } from "./visual-head.js";
import { Beside } from "../beside/beside.js";
import { t } from "../../../texts/text.js";
import { VisualNotice } from "./visual-notice.js";
import { VisualToolbar } from "./visual-toolbar.js";
import classes from "./visual.module.css";

/** A region of the pictures that a person wants to ignore. */
interface ChangedRegion {
  objectId: string;
  a: string;
  b: string;
  region: PictureRegion;
}
interface Props {
  /** Missing where nothing can be ignored, for example behind a share link. */
  ignoreDialog?: ((place: ChangedRegion, onClose: () => void) => React.ReactNode) | undefined;
}

/** The page that compares how two snapshots look: side by side, stacked or under a slider. Every choice is in the address. */
export function VisualPage({ ignoreDialog }: Props) {
  const [search, changeAddress] = useAddressParams();
  const navigate = useNavigate();
  const address = readVisualAddress(search);
  const { a, b } = address;
  const query = useQuery({ ...visualQuery(a ?? "", b ?? ""), enabled: a !== undefined && b !== undefined });
  const diff = a === undefined || b === undefined ? undefined : query.data;
  usePageMeta(titleOf(diff), t("Two snapshots of a page as they look."), `/diff/visual?${search.toString()}`);
  const text = textAddress(search);
  useKeys({ v: () => void navigate(text) });
  const choose = (choice: Partial<VisualChoice>) =>
    changeAddress((now) => writeVisualAddress(now, choice), { replace: true, preventScrollReset: true });

  return (
    <>
      <VisualHead diff={diff} textDiff={text} />
      {a === undefined || b === undefined ? (
        <MissingSnapshots textDiff={text} />
      ) : query.isError ? (
        <Failed error={query.error} textDiff={text} onRetry={() => void query.refetch()} />
      ) : diff === undefined ? (
        <Loading />
      ) : !diff.testobject.asset_snapshots ? (
        <NoPreviews objectId={diff.testobject.id} textDiff={text} />
      ) : (
        <Comparison
          key={`${diff.a.id} ${diff.b.id}`}
          diff={diff}
          address={address}
          choose={choose}
          ignoreDialog={ignoreDialog}
        />
      )}
    </>
  );
}

/** Shown where the address does not name two snapshots. */
function MissingSnapshots({ textDiff }: { textDiff: string }) {
  return (
    <Page wide>
      <div className={classes["message"]}>
        <InlineError tone="changed" title={t("Missing snapshot ids (use query params 'a' and 'b')")} />
        <Link to={textDiff} className="link">
          {t("Back to the diff")}
        </Link>
      </div>
    </Page>
  );
}

function titleOf(diff: VisualDiff | undefined): string {
  return diff === undefined
    ? t("Visual diff")
    : t("{name} #{number} and #{number2}, as pages", {
        name: diff.instance.name || diff.instance.url,
        number: String(diff.a.number),
        number2: String(diff.b.number),
      });
}

function Failed({ error, textDiff, onRetry }: { error: Error; textDiff: string; onRetry: () => void }) {
  return (
    <Page wide>
      <div className={classes["message"]}>
        <InlineError
          title={t("Error loading diff: {error}", { error: messageOf(error) })}
          onRetry={mayHelpAgain(error) ? onRetry : undefined}
          action={
            !mayHelpAgain(error) && (
              <Link to={textDiff} className="link">
                {t("Back to the diff")}
              </Link>
            )
          }
        />
      </div>
    </Page>
  );
}

function NoPreviews({ objectId, textDiff }: { objectId: string; textDiff: string }) {
  return (
    <Page wide>
      <Empty title={t("Previews are disabled")}>
        {t("This test object keeps no files of its pages, so they cannot be shown as they looked.")}{" "}
        <Link to={`/objects/${objectId}`} className="link">
          {t("Open the test object")}
        </Link>{" "}
        <Link to={textDiff} className="link">
          {t("Back to the diff")}
        </Link>
      </Empty>
    </Page>
  );
}

function Loading() {
  return (
    <Page wide>
      <Waiting words={t("Loading diff…")}>
        <Skeleton height={560} radius={8} />
      </Waiting>
    </Page>
  );
}

/** The address of the text comparison of the same two snapshots. */
function textAddress(search: URLSearchParams): string {
  const next = new URLSearchParams();
  for (const name of ["a", "b"]) if (search.get(name) !== null) next.set(name, search.get(name) ?? "");
  const text = next.toString();
  return text === "" ? "/diff" : `/diff?${text}`;
}

interface ComparisonProps extends Props {
  diff: VisualDiff;
  address: VisualAddress;
  choose: (choice: Partial<VisualChoice>) => void;
}

function Comparison({ diff, address, choose, ignoreDialog }: ComparisonProps) {
  const comparison = useComparison(diff, address);
  const { pictures, text, compared } = comparison;
  const { current, total, setCurrent, step } = useCurrentRegion(compared, address);
  const [ignored, setIgnored] = useState<PictureRegion>();
  const ignore = (region: number) => {
    setCurrent(region);
    setIgnored(compared?.regions[region]);
  };
  useKeys({ i: () => ignoreDialog !== undefined && total > 0 && ignore(Math.min(current, total - 1)) });

  return (
    <>
      <VisualToolbar
        address={address}
        compared={compared}
        isComparing={pictures.isFetching}
        text={address.by === "text" ? text.data : undefined}
        current={Math.min(current, Math.max(0, total - 1))}
        onChoose={choose}
        onStep={step}
        onIgnore={ignoreDialog === undefined ? undefined : ignore}
      />
      <Compared
        diff={diff}
        address={address}
        comparison={comparison}
        current={current}
        onPick={ignoreDialog === undefined ? setCurrent : ignore}
      />
      {ignored !== undefined &&
        ignoreDialog?.({ objectId: diff.testobject.id, a: diff.a.id, b: diff.b.id, region: ignored }, () =>
          setIgnored(undefined),
        )}
    </>
  );
}

interface ComparedProps {
  diff: VisualDiff;
  address: VisualAddress;
  comparison: ReturnType<typeof useComparison>;
  current: number;
  onPick: (region: number) => void;
}

/** The two pages, below notices about them. */
function Compared({ diff, address, comparison: { pictures, text, compared }, current, onPick }: ComparedProps) {
  const byText = address.by === "text";
  const marks = address.marks && !byText ? compared : undefined;
  // Marked pages are loaded only after their words are known, so that an error does not appear inside the page.
  const isMarked = byText && address.marks && text.isSuccess;
  const pair: SheetPair = {
    a: { side: diff.a, frame: isMarked ? diff.a.marked : diff.a.render, picture: compared?.a },
    b: { side: diff.b, frame: isMarked ? diff.b.marked : diff.b.render, picture: compared?.b },
  };
  return (
    <div className={classes["body"]}>
      <Beside a={diff.a.id} b={diff.b.id} objectId={diff.testobject.id} />
      <VisualNotice
        by={address.by}
        pictures={pictures.data}
        pictureError={pictures.error}
        text={text.data}
        textError={byText ? text.error : null}
        onRetry={() => void (byText && text.isError ? text.refetch() : pictures.refetch())}
      />
      <Sheets
        pair={pair}
        asPictures={!byText && compared !== undefined}
        layout={address.layout}
        zoom={address.zoom}
        regions={marks?.regions ?? []}
        mask={marks?.mask ?? null}
        current={current}
        onPick={onPick}
      />
    </div>
  );
}

/** Compares the two pages by their pictures, and by their text where that is chosen. */
function useComparison(diff: VisualDiff, { by, threshold }: VisualAddress) {
  const pictures = useQuery(visualPicturesQuery(diff.a.id, diff.b.id, threshold));
  const text = useQuery({ ...visualTextQuery(diff.a.id, diff.b.id), enabled: by === "text" });
  const compared = pictures.data?.state === "compared" ? pictures.data : undefined;
  return { pictures, text, compared };
}

/** The current region; n and p go to the next and previous one. There are none when comparing by text. */
function useCurrentRegion(compared: ReturnType<typeof useComparison>["compared"], { by, threshold }: VisualAddress) {
  const [current, setCurrent] = useState(0);
  const total = by === "text" ? 0 : (compared?.regions.length ?? 0);
  useEffect(() => setCurrent(0), [threshold]);
  const step = (direction: 1 | -1) => total > 0 && setCurrent((current + direction + total) % total);
  useKeys({ n: () => step(1), p: () => step(-1) });
  return { current, total, setCurrent, step };
}
