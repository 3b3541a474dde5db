import { ActionIcon, NumberInput, SegmentedControl, Select, Switch } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { type ContentForm, diffType, type FormChoice, formChoice } from "@web-tester/contracts/entities/vocabulary";
import { limits } from "@web-tester/contracts/limits";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { counted, formatCount } from "../../ui/format/words.js";
import { useStuckHeight } from "../../ui/layout/use-stuck-height.js";
import { ChangeCounts, ChangeSquares, StatusBadge, ToneWord } from "../../ui/status/status.js";
import { t } from "../../texts/text.js";
import { useId, useState } from "react";
import type { DiffAddress, DiffChoice } from "./address.js";
import { FoldedOptions } from "./folded-options.js";
import toolbarClasses from "./toolbar.module.css";
import classes from "./diff.module.css";

interface Props {
  address: DiffAddress;
  diff: DiffHunks | undefined;
  current: number;
  /** How many changes can be stepped to. */
  total: number;
  isPhone: boolean;
  onChoose: (choice: DiffChoice) => void;
  onStep: (by: 1 | -1) => void;
  /** Further actions on the comparison. */
  more: React.ReactNode;
}

/** The diff options panel for two snapshots, with the result at the right. */
export function DiffToolbar({ address, diff, current, total, isPhone, onChoose, onStep, more }: Props) {
  return (
    <OptionsPanel
      choices={address.file === undefined ? address : { ...address, as: undefined }}
      formShown={diff?.as}
      isPhone={isPhone}
      onChoose={onChoose}
    >
      {diff !== undefined && !isPhone && (
        <>
          <DiffSummary diff={diff} />
          <span className={toolbarClasses["rule"]} />
          <Stepper current={current} total={total} onStep={onStep} />
        </>
      )}
      {more}
    </OptionsPanel>
  );
}

/** The choices of how a difference is shown. */
export interface ViewChoices extends Pick<DiffAddress, "by" | "view" | "numbers" | "context"> {
  /** Undefined where there is only one form. */
  readonly as: FormChoice | undefined;
  /** The forms to choose from; absent: all. */
  readonly forms?: readonly FormChoice[];
}

interface PanelProps {
  choices: ViewChoices;
  /** The form that was chosen automatically. */
  formShown?: ContentForm | undefined;
  isPhone: boolean;
  onChoose: (choice: DiffChoice) => void;
  /** The result, shown at the right. */
  children?: React.ReactNode;
}

/**
 * The diff options panel that all comparisons share: it sticks below the header; on a phone its options collapse behind one button.
 * Source: specification §2.
 */
export function OptionsPanel({ choices, formShown, isPhone, onChoose, children }: PanelProps) {
  const isNarrow = useMediaQuery("(max-width: 68.74em)", undefined, { getInitialValueInEffect: false }) === true;
  const words = isPhone ? [t("Line"), t("Word"), t("Character")] : [t("By Line"), t("By Word"), t("By Character")];
  const stuckRef = useStuckHeight();
  const options = <Options choices={choices} formShown={formShown} isPhone={isPhone} onChoose={onChoose} />;
  return (
    <div ref={stuckRef} className={`${toolbarClasses["toolbar"]} ${classes["toolbar"]}`} data-screen-only>
      <SegmentedControl
        className={classes["types"]}
        aria-label={t("Type")}
        value={choices.by}
        onChange={(value) => onChoose({ by: diffType.parse(value) })}
        data={diffType.options.map((value, index) => ({ value, label: words[index] ?? value }))}
      />
      <FoldedOptions isNarrow={isNarrow}>{options}</FoldedOptions>
      {children !== undefined && children !== false && <div className={classes["result"]}>{children}</div>}
    </div>
  );
}

function Options({ choices, formShown, isPhone, onChoose }: Omit<PanelProps, "children">) {
  return (
    <>
      {choices.as !== undefined && (
        <FormSelect
          forms={choices.forms ?? allForms}
          value={choices.as}
          shown={formShown}
          onChange={(as) => onChoose({ as })}
        />
      )}
      {!isPhone && (
        <Switch
          size="xs"
          label={t("Split View")}
          title={choices.by === "lines" ? undefined : t("Words and characters are shown in one column")}
          disabled={choices.by !== "lines"}
          checked={choices.view === "split"}
          onChange={(event) => onChoose({ view: event.currentTarget.checked ? "split" : "unified" })}
        />
      )}
      <Switch
        size="xs"
        label={t("Line Numbers")}
        checked={choices.numbers}
        onChange={(event) => onChoose({ numbers: event.currentTarget.checked })}
      />
      <UnchangedLines value={choices.context} onChange={(context) => onChoose({ context })} />
    </>
  );
}

/** Enters the number of unchanged lines; an entered number is clamped to its bounds, and shown so when the field loses the focus. */
function UnchangedLines({ value, onChange }: { value: number; onChange: (lines: number) => void }) {
  const field = useId();
  const [draft, setDraft] = useState<number | string>();
  return (
    <div className={classes["context"]}>
      <label htmlFor={field}>{t("Unchanged Lines")}</label>
      <NumberInput
        id={field}
        w={68}
        min={0}
        max={limits.maxContextLines}
        clampBehavior="none"
        allowDecimal={false}
        value={draft ?? value}
        onChange={(typed) => {
          setDraft(typed);
          if (typeof typed === "number") onChange(Math.min(limits.maxContextLines, Math.max(0, typed)));
        }}
        onBlur={() => setDraft(undefined)}
      />
    </div>
  );
}

const allForms: readonly FormChoice[] = ["auto", "source", "formatted", "text"];
const formWords = { source: "Source", formatted: "Formatted", text: "Text", auto: "Automatic" } as const;
const formHelp = {
  auto: "Formatted where a page has long lines",
  source: "As served",
  formatted: "Every element on a line",
  text: "What a reader gets",
} as const;

/** Selects the form of the pages that is compared. */
function FormSelect({
  forms,
  value,
  shown,
  onChange,
}: {
  forms: readonly FormChoice[];
  value: FormChoice;
  shown: ContentForm | undefined;
  onChange: (form: FormChoice) => void;
}) {
  return (
    <Select
      size="xs"
      aria-label={t("Form")}
      className={classes["form"]}
      allowDeselect={false}
      comboboxProps={{ width: 270, position: "bottom-start" }}
      value={value}
      onChange={(form) => onChange(formChoice.parse(form))}
      data={forms.map((form) => ({
        value: form,
        label:
          form === "auto" && shown !== undefined
            ? t("Automatic: {form}", { form: t(formWords[shown]) })
            : t(formWords[form]),
      }))}
      renderOption={({ option }) => (
        <span className={classes["formOption"]}>
          <b>{option.label}</b>
          <span className="label">{t(formHelp[formChoice.parse(option.value)])}</span>
        </span>
      )}
    />
  );
}

const unitNames = { lines: "lines", words: "words", chars: "characters" } as const;

/** Summarises how much differs, in words, numbers and squares. */
export function DiffSummary({
  diff,
}: {
  diff: Pick<DiffHunks, "changes" | "added" | "removed" | "by" | "significant" | "ignored">;
}) {
  const ignored = diff.ignored ?? 0;
  const changes = diff.significant ?? diff.changes;
  if (diff.changes === 0) return <StatusBadge status="unchanged" />;
  if (changes === 0)
    return (
      <span className={classes["summary"]}>
        <StatusBadge status="unchanged" />
        <span className="label">{t("{ignored} ignored", { ignored })}</span>
      </span>
    );
  return (
    <span className={classes["summary"]}>
      <ToneWord tone="changed" status="changed">
        {counted(changes, "change")}
      </ToneWord>
      {ignored > 0 && <span className="label">{t("{ignored} ignored", { ignored })}</span>}
      {diff.added + diff.removed === 0 ? (
        // white space is marked, but is no word that could be counted
        <span className="label">{t("Only white space differs")}</span>
      ) : (
        <>
          <ChangeCounts added={diff.added} removed={diff.removed} noun={t(unitNames[diff.by])} />
          <ChangeSquares added={diff.added} removed={diff.removed} />
        </>
      )}
    </span>
  );
}

const stepWords = {
  change: { previous: "Previous change", next: "Next change" },
  page: { previous: "Previous page", next: "Next page" },
  region: { previous: "Previous region", next: "Next region" },
} as const;

/** Buttons for the previous and next change, page or region; the keys n and p do the same. */
export function Stepper({
  current,
  total,
  of = "change",
  onStep,
}: {
  current: number;
  total: number;
  of?: "change" | "page" | "region";
  onStep: (by: 1 | -1) => void;
}) {
  return (
    <span className={classes["stepper"]}>
      <ActionIcon
        variant="default"
        size="xs"
        aria-label={t(stepWords[of].previous)}
        title={`${t(stepWords[of].previous)} (p)`}
        disabled={total === 0}
        onClick={() => onStep(-1)}
      >
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <span className="mono" aria-live="polite">
        {total === 0 ? 0 : formatCount(current + 1)} / {formatCount(total)}
      </span>
      <ActionIcon
        variant="default"
        size="xs"
        aria-label={t(stepWords[of].next)}
        title={`${t(stepWords[of].next)} (n)`}
        disabled={total === 0}
        onClick={() => onStep(1)}
      >
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
    </span>
  );
}
