import { Button, SegmentedControl, Select, Textarea } from "@mantine/core";
import { limits } from "@web-tester/contracts/limits";
import { IconSearch, IconSelector } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { indexChoices } from "../../ui/format/index-label.js";
import { indexOption } from "../../ui/format/index-option.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import type { SearchAddress } from "./search-address.js";
import classes from "./search.module.css";

const all = "all";

/**
 * Props of the form for the text, where to search, and what to show.
 * @param snapshots the most snapshots of one instance
 */
interface Props {
  address: SearchAddress;
  snapshots: number;
  /** Finished fetches, the oldest first, which tell roughly when each index was fetched. */
  history: readonly { readonly finished_at: string }[] | undefined;
  onSearch: (change: Partial<SearchAddress>) => void;
}

export function SearchForm({ address, snapshots, history, onSearch }: Props) {
  const [text, setText] = useState(address.q);
  useEffect(() => setText(address.q), [address.q]);
  return (
    <Card className={classes["top"]}>
      <form
        role="search"
        className={classes["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          onSearch({ q: withoutOuterLineEnds(text) });
        }}
      >
        <Textarea
          className={classes["field"]}
          label={t("Text")}
          placeholder={t("Part of a page, as it is written")}
          leftSection={<IconSearch size={15} aria-hidden />}
          value={text}
          maxLength={limits.searchPhraseMaxChars}
          autoFocus={address.q === ""}
          data-filter
          autosize
          minRows={1}
          maxRows={6}
          enterKeyHint="search"
          onKeyDown={searchOnEnter}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <IndexChoice address={address} snapshots={snapshots} history={history} onSearch={onSearch} />
        <Button type="submit">{t("Search")}</Button>
      </form>
      <Ways address={address} onSearch={onSearch} />
    </Card>
  );
}

/** Submits on Enter; Shift and Enter begin a new line, because text copied from a page may have several. */
function searchOnEnter(event: React.KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** Removes line ends around a text: whoever copies a whole line also copies its end, but means the line. */
const withoutOuterLineEnds = (text: string): string => text.replaceAll(/^[\r\n]+|[\r\n]+$/g, "");

function IndexChoice({ address, snapshots, history, onSearch }: Props) {
  const renderOption = useMemo(() => indexOption(history), [history]);
  const choices = indexChoices(Math.max(snapshots, (address.idx ?? 0) + 1, 1));
  return (
    <Select
      className={classes["index"]}
      label={t("Snapshot index")}
      allowDeselect={false}
      withCheckIcon={false}
      rightSection={<IconSelector size={15} aria-hidden />}
      rightSectionPointerEvents="none"
      disabled={address.view === "history"}
      data={[{ value: all, label: t("All Snapshots") }, ...choices]}
      renderOption={renderOption}
      comboboxProps={{ width: 300, position: "bottom-end" }}
      value={address.view === "history" || address.idx === undefined ? all : String(address.idx)}
      onChange={(value) => onSearch({ idx: value === null || value === all ? undefined : Number(value) })}
    />
  );
}

/** Selects where the text is searched for, and what is shown. */
function Ways({ address, onSearch }: Omit<Props, "snapshots" | "history">) {
  return (
    <div className={classes["choices"]}>
      <SegmentedControl
        aria-label={t("Where to look")}
        value={address.scope}
        onChange={(scope) => onSearch({ scope: scope === "text" ? "text" : "html" })}
        data={[
          { value: "html", label: t("HTML") },
          { value: "text", label: t("Visible text") },
        ]}
      />
      <SegmentedControl
        aria-label={t("What to show")}
        value={address.view}
        onChange={(view) => onSearch({ view: view === "history" ? "history" : "results" })}
        data={[
          { value: "results", label: t("Snapshots") },
          { value: "history", label: t("Added and removed") },
        ]}
      />
    </div>
  );
}
