import { Select } from "@mantine/core";
import type { BulkDiff } from "@web-tester/contracts/entities/compare";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { limits } from "@web-tester/contracts/limits";
import { IconPlayerSkipForward } from "@tabler/icons-react";
import { useMemo } from "react";
import { indexChoices, indexLabel } from "../../../ui/format/index-label.js";
import { indexOption } from "../../../ui/format/index-option.js";
import { bulkHelp } from "../../../ui/format/ways-to-look.js";
import { counted } from "../../../ui/format/words.js";
import { Crumbs } from "../../../ui/layout/page.js";
import { ChangeCounts, ToneWord } from "../../../ui/status/status.js";
import { t } from "../../../texts/text.js";
import type { BulkAddress } from "./bulk-address.js";
import classes from "./bulk.module.css";

interface Props {
  object: Pick<TestObject, "id" | "name" | "history"> | undefined;
  address: BulkAddress;
  /** The sums; undefined until they are loaded. */
  sums: BulkDiff | undefined;
  whyOpened: boolean;
  onWhy: () => void;
  onIndex: (name: "idx1" | "idx2", index: string) => void;
}

/** The head of the page: the result as title, the two indices, and the sums. */
export function BulkHead({ object, address, sums, whyOpened, onWhy, onIndex }: Props) {
  return (
    <header className={classes["head"]}>
      <div className={classes["titles"]}>
        <Crumbs
          items={[
            { label: t("Objects"), to: "/" },
            ...(object === undefined ? [] : [{ label: object.name, to: `/objects/${object.id}` }]),
            { label: t("Bulk Diff") },
          ]}
        />
        <h1 className="title" aria-live="polite">
          {sums === undefined ? t("Bulk Diff") : bulkTitle(sums)}
        </h1>
        <p className="text-2">{t(bulkHelp)}</p>
        {sums === undefined ? (
          <div className={classes["sums"]} />
        ) : (
          <Sums sums={sums} whyOpened={whyOpened} onWhy={onWhy} />
        )}
      </div>
      <div className={classes["headEnd"]}>
        <Indices address={address} history={object?.history} onIndex={onIndex} />
        {sums === undefined ? <div className={classes["share"]} /> : <Share sums={sums} />}
      </div>
    </header>
  );
}

/** The title, for example "18 of 342 pages differ". */
export function bulkTitle({ diffCount, totalInstances }: Pick<BulkDiff, "diffCount" | "totalInstances">): string {
  const pages = counted(totalInstances, "page");
  return t("{n} of {pages} differs|{n} of {pages} differ", { n: diffCount, pages });
}

/** Says how many pages changed, did not change, and were skipped. */
function Sums({ sums, whyOpened, onWhy }: { sums: BulkDiff; whyOpened: boolean; onWhy: () => void }) {
  return (
    <div className={classes["sums"]}>
      <ToneWord tone={sums.diffCount > 0 ? "changed" : "quiet"} status="changed">
        {t("{changed} changed", { changed: sums.diffCount })}
      </ToneWord>
      <ToneWord tone="quiet" status="unchanged">
        {t("{unchanged} unchanged", { unchanged: sums.identicalCount })}
      </ToneWord>
      <span className={classes["skippedWord"]}>
        <IconPlayerSkipForward size={15} aria-hidden />
        {t("{skipped} skipped", { skipped: sums.skippedCount - sums.identicalCount })}
        {sums.skippedCount > 0 && sums.diffCount > 0 && (
          <button type="button" className={classes["textButton"]} aria-expanded={whyOpened} onClick={onWhy}>
            {t("Why")}
          </button>
        )}
      </span>
    </div>
  );
}

/** Selects the two indices that are compared. */
function Indices({
  address,
  history,
  onIndex,
}: Pick<Props, "address" | "onIndex"> & { history: TestObject["history"] | undefined }) {
  return (
    <div className={classes["indices"]}>
      <IndexSelect
        label={t("Index A")}
        index={address.idx1}
        history={history}
        onChange={(index) => onIndex("idx1", index)}
      />
      <IndexSelect
        label={t("Index B")}
        index={address.idx2}
        history={history}
        onChange={(index) => onIndex("idx2", index)}
      />
    </div>
  );
}

function IndexSelect({
  label,
  index,
  history,
  onChange,
}: {
  label: string;
  index: number;
  history: TestObject["history"] | undefined;
  onChange: (index: string) => void;
}) {
  const renderOption = useMemo(() => indexOption(history), [history]);
  const choices = indexChoices(limits.bulkDiffIndexOptions);
  // an address may contain an older index than the dropdown offers
  const data = index < choices.length ? choices : [...choices, { value: String(index), label: indexLabel(index) }];
  return (
    <Select
      label={label}
      data={data}
      renderOption={renderOption}
      comboboxProps={{ width: 300, position: "bottom-end" }}
      value={String(index)}
      allowDeselect={false}
      onChange={(value) => value !== null && onChange(value)}
      className={classes["index"]}
    />
  );
}

/** Draws the shares of changed, unchanged and skipped pages; the words are beside it. */
function Share({ sums }: { sums: BulkDiff }) {
  const part = (count: number) => ({ flexGrow: count });
  return (
    <div className={classes["share"]}>
      <span className={classes["bar"]} aria-hidden>
        {sums.diffCount > 0 && <i data-part="changed" style={part(sums.diffCount)} />}
        {sums.identicalCount > 0 && <i data-part="unchanged" style={part(sums.identicalCount)} />}
        {sums.skippedCount > sums.identicalCount && (
          <i data-part="skipped" style={part(sums.skippedCount - sums.identicalCount)} />
        )}
      </span>
      {sums.linesAdded !== null && sums.linesRemoved !== null && (
        <ChangeCounts added={sums.linesAdded} removed={sums.linesRemoved} />
      )}
    </div>
  );
}
