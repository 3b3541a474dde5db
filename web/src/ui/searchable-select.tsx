import { type ComboboxItem, type OptionsFilter, Select, type SelectProps } from "@mantine/core";
import { IconSelector } from "@tabler/icons-react";
import { useState } from "react";
import { fuzzyFilter, fuzzyParts } from "./fuzzy.js";
import classes from "./searchable-select.module.css";

export interface Choice extends ComboboxItem {
  /** Shown quietly at the right of the label. */
  readonly note?: string;
}

export interface SearchableSelectProps extends Omit<
  SelectProps,
  "data" | "filter" | "renderOption" | "searchable" | "onChange"
> {
  choices: readonly Choice[];
  onChange: (value: string | null) => void;
  loading?: boolean;
}

const shownAtOnce = 100;

/** The dropdown of the whole application: type to search by subsequence, arrows, Enter, Escape. Source: specification §2. */
export function SearchableSelect({ choices, onChange, loading = false, ...props }: SearchableSelectProps) {
  const [query, setQuery] = useState("");
  const filter: OptionsFilter = ({ options, search, limit }) =>
    fuzzyFilter(search, options, labelOf, limit).map((match) => match.item);
  return (
    <Select
      placeholder="Select..."
      nothingFoundMessage={loading ? "Loading…" : "No results found"}
      withCheckIcon={false}
      rightSection={<IconSelector size={15} aria-hidden />}
      rightSectionPointerEvents="none"
      // turned on when the choices come, so that Enter also takes what was typed before
      selectFirstOptionOnChange={!loading}
      withScrollArea={false}
      classNames={{ options: classes["options"] ?? "" }}
      {...props}
      searchable
      limit={shownAtOnce}
      data={[...choices]}
      filter={filter}
      onSearchChange={setQuery}
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
