import { type ComboboxItem, type OptionsFilter, Select, type SelectProps } from "@mantine/core";
import { IconSelector } from "@tabler/icons-react";
import { useState } from "react";
import { t } from "../texts/text.js";
import { fuzzyFilter, fuzzyParts } from "./fuzzy.js";
import classes from "./searchable-select.module.css";

export interface Choice extends ComboboxItem {
  /** Shown in a quiet colour at the right of the label. */
  readonly note?: string;
  /** A text that the server found this choice for: it is shown when that text is typed, whatever its label. */
  readonly foundFor?: string;
}

export interface SearchableSelectProps extends Omit<
  SelectProps,
  "data" | "filter" | "renderOption" | "searchable" | "searchValue" | "onSearchChange" | "onChange" | "onOptionSubmit"
> {
  choices: readonly Choice[];
  onChange: (value: string | null) => void;
  loading?: boolean;
  /** Is called with what is typed, so that further choices can be found where not all are loaded. */
  onSearch?: (text: string) => void;
  /** Whether `onSearch` can bring choices that are not here. */
  hasMore?: boolean;
  /** Why the choices are not here. */
  failure?: string | undefined;
}

const shownAtOnce = 100;

/** The dropdown of the whole application: type to search by subsequence, arrows, Enter, Escape. Source: specification §2. */
export function SearchableSelect({
  choices,
  onChange,
  onSearch,
  loading = false,
  hasMore = false,
  failure,
  ...props
}: SearchableSelectProps) {
  const [chosen, setChosen] = useState<Choice>();
  // a choice found for one text stays selected when another text is typed
  const all =
    chosen === undefined || choices.some(({ value }) => value === chosen.value) ? [...choices] : [...choices, chosen];
  const choiceOf = (value: SelectProps["value"]) => all.find((choice) => choice.value === value);
  const labelIn = (value: SelectProps["value"]) => choiceOf(value)?.label ?? "";
  const [query, setQuery] = useState(() => labelIn(props.value));
  const change = (text: string) => {
    setQuery(text);
    onSearch?.(text);
  };
  return (
    <Select
      placeholder={t("Select...")}
      nothingFoundMessage={failure ?? (loading ? t("Loading…") : t("No results found"))}
      withCheckIcon={false}
      rightSection={<IconSelector size={15} aria-hidden />}
      rightSectionPointerEvents="none"
      // switched on when the choices arrive, so that Enter also takes what was typed before
      selectFirstOptionOnChange={!loading}
      withScrollArea={false}
      // Enter on the selected choice keeps it; the cross clears it
      allowDeselect={false}
      // Mantine hides its cross from keyboard and screen readers
      clearButtonProps={{ "aria-label": t("Clear"), "aria-hidden": undefined, tabIndex: 0 }}
      classNames={{ options: classes["options"] ?? "" }}
      {...props}
      searchable
      limit={shownAtOnce}
      data={all}
      filter={(input) => filter(input, hasMore)}
      searchValue={query}
      onSearchChange={change}
      // Mantine leaves the typed text in the field when the same choice is selected again
      onOptionSubmit={(value) => {
        setChosen(choiceOf(value));
        setQuery(labelIn(value));
      }}
      onChange={(value) => onChange(value)}
      renderOption={({ option, checked }) =>
        option.value === othersValue ? (
          <span className="label text-2">{option.label}</span>
        ) : (
          <Option label={option.label} note={noteOf(option)} query={checked ? "" : query} checked={checked === true} />
        )
      }
    />
  );
}

type Filtered = Parameters<OptionsFilter>[0];

/** What the text is in, best first, behind it what was found for it elsewhere, and at the end that there are others. */
function filter({ options, search, limit }: Filtered, hasMore: boolean): ReturnType<OptionsFilter> {
  const matching = fuzzyFilter(search, options, labelOf, limit + 1).map((match) => match.item);
  const wanted = search.trim();
  const found = options.filter(
    (option) => "foundFor" in option && option.foundFor === wanted && !matching.includes(option),
  );
  const all = [...matching, ...found];
  if (all.length === 0 || (all.length <= limit && (!hasMore || wanted !== ""))) return all;
  return [...all.slice(0, limit), othersExist(Math.min(all.length, limit))];
}

const othersValue = "others exist";

const othersExist = (shown: number): ComboboxItem => ({
  value: othersValue,
  label: t("The first {count} are listed. Type to find others.", { count: shown }),
  disabled: true,
});

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
