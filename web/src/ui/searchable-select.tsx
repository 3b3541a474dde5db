import { type ComboboxItem, type OptionsFilter, Select, type SelectProps } from "@mantine/core";
import { IconSelector } from "@tabler/icons-react";
import { useState } from "react";
import { t } from "../texts/text.js";
import { fuzzyFilter, fuzzyParts } from "./fuzzy.js";
import classes from "./searchable-select.module.css";

export interface Choice extends ComboboxItem {
  /** Shown quietly at the right of the label. */
  readonly note?: string;
}

export interface SearchableSelectProps extends Omit<
  SelectProps,
  "data" | "filter" | "renderOption" | "searchable" | "searchValue" | "onSearchChange" | "onChange" | "onOptionSubmit"
> {
  choices: readonly Choice[];
  onChange: (value: string | null) => void;
  loading?: boolean;
}

const shownAtOnce = 100;

/** The dropdown of the whole application: type to search by subsequence, arrows, Enter, Escape. Source: specification §2. */
export function SearchableSelect({ choices, onChange, loading = false, ...props }: SearchableSelectProps) {
  const labelIn = (value: SelectProps["value"]) => choices.find((choice) => choice.value === value)?.label ?? "";
  const [query, setQuery] = useState(() => labelIn(props.value));
  const filter: OptionsFilter = ({ options, search, limit }) =>
    fuzzyFilter(search, options, labelOf, limit).map((match) => match.item);
  return (
    <Select
      placeholder={t("Select...")}
      nothingFoundMessage={loading ? t("Loading…") : t("No results found")}
      withCheckIcon={false}
      rightSection={<IconSelector size={15} aria-hidden />}
      rightSectionPointerEvents="none"
      // turned on when the choices come, so that Enter also takes what was typed before
      selectFirstOptionOnChange={!loading}
      withScrollArea={false}
      // Enter on what is chosen keeps it; the cross clears
      allowDeselect={false}
      // Mantine hides its cross from keys and screen readers
      clearButtonProps={{ "aria-label": t("Clear"), "aria-hidden": undefined, tabIndex: 0 }}
      classNames={{ options: classes["options"] ?? "" }}
      {...props}
      searchable
      limit={shownAtOnce}
      data={[...choices]}
      filter={filter}
      searchValue={query}
      onSearchChange={setQuery}
      // Mantine leaves what was typed in the field when the same is chosen again
      onOptionSubmit={(value) => setQuery(labelIn(value))}
      onChange={(value) => onChange(value)}
      renderOption={({ option, checked }) => (
        <Option label={option.label} note={noteOf(option)} query={checked ? "" : query} checked={checked === true} />
      )}
    />
  );
}

const labelOf = (option: unknown): string =>
  typeof option === "object" && option !== null && "label" in option ? String(option.label) : "";
const noteOf = (option: object): string | undefined =>
  "note" in option && typeof option.note === "string" ? option.note : undefined;

function Option({
  label,
  note,
  query,
  checked,
}: {
  label: string;
  note: string | undefined;
  query: string;
  checked: boolean;
}) {
  const match = fuzzyFilter(query, [label], (text) => text, 1)[0];
  return (
    <span className={classes["option"]} data-checked={checked || undefined}>
      <span className="truncate" title={label}>
        {fuzzyParts(label, match?.indexes ?? []).map((part, index) =>
          part.matched ? <b key={index}>{part.text}</b> : part.text,
        )}
      </span>
      {note !== undefined && <span className={`mono ${classes["note"]}`}>{note}</span>}
    </span>
  );
}
