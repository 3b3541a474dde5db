import { Button, Select, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { testObjectsQuery } from "../../api/queries.js";
import { t } from "../../texts/text.js";
import { callWords } from "./call-words.js";
import type { ChangesAddress } from "./changes-address.js";
import { wordsOf } from "./change-row.js";
import classes from "./changes.module.css";

const typingMs = 300;

interface Props {
  address: ChangesAddress;
  onChoose: (change: Partial<ChangesAddress>) => void;
}

/** The filter of the list: a text, a person, a kind of change, an object, the outcome, and days. */
export function ChangesFilter({ address, onChoose }: Props) {
  const isEmpty = Object.values(address).every((value) => value === "");
  return (
    <div className={classes["filter"]} role="search" aria-label={t("Filter of changes")}>
      <Typed field="q" label={t("Text")} address={address} onChoose={onChoose} isFilter />
      <Typed field="who" label={t("Who")} address={address} onChoose={onChoose} />
      <ActionSelect address={address} onChoose={onChoose} />
      <ObjectSelect address={address} onChoose={onChoose} />
      <OutcomeSelect address={address} onChoose={onChoose} />
      <TextInput
        type="date"
        label={t("From day")}
        value={address.from}
        onChange={(event) => onChoose({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t("To day")}
        value={address.to}
        onChange={(event) => onChoose({ to: event.currentTarget.value })}
      />
      <Button
        variant="subtle"
        disabled={isEmpty}
        onClick={() => onChoose({ q: "", who: "", action: "", object: "", outcome: "", from: "", to: "" })}
      >
        {t("Show all")}
      </Button>
    </div>
  );
}

function ActionSelect({ address, onChoose }: Props) {
  const actions = Object.keys(callWords)
    .map((value) => ({ value, label: wordsOf(value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <Select
      label={t("What~filter")}
      placeholder={t("Everything")}
      clearable
      searchable
      value={address.action || null}
      data={actions}
      onChange={(action) => onChoose({ action: action ?? "" })}
    />
  );
}

function ObjectSelect({ address, onChoose }: Props) {
  const objects = useQuery(testObjectsQuery(useQueryClient())).data ?? [];
  return (
    <Select
      label={t("Test object")}
      placeholder={t("All test objects")}
      clearable
      searchable
      value={address.object || null}
      data={objects.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(object) => onChoose({ object: object ?? "" })}
    />
  );
}

function OutcomeSelect({ address, onChoose }: Props) {
  return (
    <Select
      label={t("Result")}
      placeholder={t("Any result")}
      clearable
      value={address.outcome || null}
      data={[
        { value: "done", label: t("done") },
        { value: "refused", label: t("refused") },
        { value: "failed", label: t("failed") },
        { value: "unknown", label: t("result unknown") },
      ]}
      onChange={(outcome) => onChoose({ outcome: outcome ?? "" })}
    />
  );
}

/** A text field whose value takes effect when typing stops. */
function Typed({
  field,
  label,
  address,
  onChoose,
  isFilter = false,
}: {
  field: "q" | "who";
  label: string;
  address: ChangesAddress;
  onChoose: (change: Partial<ChangesAddress>) => void;
  isFilter?: boolean;
}) {
  const value = address[field];
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = window.setTimeout(() => onChoose({ [field]: text }), typingMs);
    return () => window.clearTimeout(timer);
  }, [text, value, field, onChoose]);
  return (
    <TextInput
      label={label}
      leftSection={isFilter ? <IconSearch size={15} aria-hidden /> : undefined}
      maxLength={200}
      value={text}
      {...(isFilter ? { "data-filter": true } : {})}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
