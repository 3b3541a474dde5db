import { ActionIcon, Button } from "@mantine/core";
import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import { IconArrowsExchange, IconGitCompare, IconPhoto } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { isShared } from "../../ui/access/shared.js";
import { assetName } from "../../ui/assets/asset-words.js";
import { formatDate } from "../../ui/format/dates.js";
import { pathOf } from "../../ui/format/words.js";
import { BackLink, Crumbs } from "../../ui/layout/page.js";
import { SideLetter } from "../../ui/layout/side-letter.js";
import { type Choice, SearchableSelect } from "../../ui/searchable-select.js";
import { t } from "../../texts/text.js";
import { DiffSummary } from "./diff-toolbar.js";
import classes from "./diff.module.css";

interface Props {
  /** The instance whose snapshots can be selected; undefined until it is loaded. */
  instance: TestInstance | undefined;
  diff: DiffHunks | undefined;
  a: string | undefined;
  b: string | undefined;
  isPhone: boolean;
  /** The file that is compared instead of the HTML, if any. */
  file: string | undefined;
  onCompare: (a: string, b: string) => void;
  onSwap: () => void;
  share: React.ReactNode;
}

/** The head of the page: what is compared, and selects for other snapshots. */
export function DiffHead({ instance, diff, a, b, isPhone, file, onCompare, onSwap, share }: Props) {
  const name = diff?.instance ?? instance;
  const object = diff?.testobject ?? instance?.testobject;
  const label = name === undefined ? t("Compare snapshots") : name.name || name.url;
  const title =
    isPhone && diff !== undefined
      ? t("Snapshot {number} and {number2}", { number: String(diff.a.number), number2: String(diff.b.number) })
      : label;
  return (
    <header className={classes["head"]}>
      <div className={classes["titles"]}>
        {isPhone && name !== undefined ? (
          <BackLink to={`/instances/${name.id}`}>{label}</BackLink>
        ) : (
          <Crumbs items={crumbsOf({ object, name, label, a, b, file })} />
        )}
        <div className={classes["titleRow"]}>
          <h1 className="title">{file === undefined ? title : assetName(file).name}</h1>
          {!isPhone && name !== undefined && (
            <span className="mono text-2 truncate" title={file ?? name.url}>
              {file === undefined ? pathOf(name.url) : pathOf(file, name.url)}
            </span>
          )}
        </div>
        {isPhone && diff !== undefined && <DiffSummary diff={diff} />}
      </div>
      {(instance !== undefined || diff !== undefined) && (
        <Pickers {...{ instance, diff, a, b, onCompare, onSwap, share }} />
      )}
    </header>
  );
}

interface Place extends Pick<Props, "a" | "b" | "file"> {
  object: { id: string; name: string } | undefined;
  name: { id: string } | undefined;
  label: string;
}

/** The breadcrumbs; those of a file include the comparison of its pages. */
function crumbsOf({ object, name, label, a, b, file }: Place) {
  return [
    { label: t("Objects"), to: "/" },
    ...(object === undefined ? [] : [{ label: object.name, to: `/objects/${object.id}` }]),
    ...(name === undefined
      ? [{ label: t("Diff") }]
      : [
          { label, to: `/instances/${name.id}` },
          ...(file === undefined
            ? [{ label: t("Diff") }]
            : [{ label: t("Diff"), to: `/diff?a=${a}&b=${b}` }, { label: assetName(file).name }]),
        ]),
  ];
}

/** The selected snapshots that are not compared yet; they are reset when the compared pair changes. */
function usePicked(a: string | undefined, b: string | undefined, offered: (id: string | undefined) => string | null) {
  const pair = `${a} ${b}`;
  const [picked, setPicked] = useState({ pair, a: offered(a), b: offered(b) });
  const now = picked.pair === pair ? picked : { pair, a: offered(a), b: offered(b) };
  return {
    draftA: now.a,
    draftB: now.b,
    pickA: (id: string | null) => setPicked({ ...now, a: id }),
    pickB: (id: string | null) => setPicked({ ...now, b: id }),
  };
}

function Pickers({ instance, diff, a, b, onCompare, onSwap, share }: Omit<Props, "isPhone" | "file">) {
  const choices = choicesOf(instance, diff);
  // a snapshot that was deleted cannot be selected
  const offered = (id: string | undefined) => (choices.some(({ value }) => value === id) ? (id ?? null) : null);
  const { draftA, draftB, pickA, pickB } = usePicked(a, b, offered);
  const visual = diff?.assets === true && <VisualButton diff={diff} />;
  if (isShared)
    return (
      <div className={classes["pickers"]} data-screen-only>
        {visual}
      </div>
    );
  return (
    <div className={classes["pickers"]} data-screen-only>
      <SnapshotPicker side="A" value={draftA} onChange={pickA} choices={choices} />
      <SwapButton onSwap={onSwap} disabled={diff === undefined} />
      <SnapshotPicker side="B" value={draftB} onChange={pickB} choices={choices} />
      <Button
        variant="default"
        leftSection={<IconGitCompare size={15} aria-hidden />}
        disabled={draftA === null || draftB === null}
        onClick={() => draftA !== null && draftB !== null && onCompare(draftA, draftB)}
      >
        {t("Compare")}
      </Button>
      {visual}
      {share}
    </div>
  );
}

function VisualButton({ diff }: { diff: DiffHunks }) {
  return (
    <Button
      component={Link}
      to={visualAddress(diff)}
      variant="default"
      title={t("Visual diff (v)")}
      leftSection={<IconPhoto size={15} aria-hidden />}
    >
      {t("Visual diff")}
    </Button>
  );
}

function SwapButton({ onSwap, disabled }: { onSwap: () => void; disabled: boolean }) {
  return (
    <ActionIcon
      variant="subtle"
      aria-label={t("Swap A and B")}
      title={t("Swap A and B (x)")}
      onClick={onSwap}
      disabled={disabled}
      className={classes["swap"]}
    >
      <IconArrowsExchange size={17} aria-hidden />
    </ActionIcon>
  );
}

interface PickerProps {
  side: "A" | "B";
  value: string | null;
  onChange: (id: string | null) => void;
  choices: Choice[];
}

function SnapshotPicker({ side, value, onChange, choices }: PickerProps) {
  return (
    <SearchableSelect
      aria-label={side === "A" ? t("Snapshot A") : t("Snapshot B")}
      value={value}
      onChange={onChange}
      choices={choices}
      leftSection={<SideLetter side={side} />}
      className={classes["picker"]}
    />
  );
}

/** The address of the visual comparison of the same snapshots. */
export const visualAddress = ({ a, b }: { a: { id: string }; b: { id: string } }): string =>
  `/diff/visual?a=${a.id}&b=${b.id}`;

/** The finished snapshots of the instance, newest first, and the compared ones where they are of another instance. */
function choicesOf(instance: TestInstance | undefined, diff: DiffHunks | undefined): Choice[] {
  const own = (instance?.testsnapshots ?? [])
    .filter((snapshot) => snapshot.state === "done")
    .map((snapshot) => choice(snapshot));
  const compared =
    diff === undefined
      ? []
      : [diff.b, diff.a].filter((side) => !own.some((each) => each.value === side.id)).map((side) => choice(side));
  const seen = new Set<string>();
  return [...own, ...compared].filter(({ value }) => !seen.has(value) && seen.add(value));
}

const choice = (snapshot: { id: string; number: number; created_at: string }): Choice => ({
  value: snapshot.id,
  label: `#${snapshot.number}  ${formatDate(snapshot.created_at)}`,
});
