import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { foundInstancesQuery, instanceChoicesQuery } from "../../api/queries.js";
import type { Choice } from "../../ui/searchable-select.js";
import { snapshotChoices } from "./snapshot-choices.js";

/** Debounce of typing before the server is asked. */
const restMs = 200;

/** The most characters that are sent; the server does not take more, and nobody types as much. */
const askedMaxChars = 200;

/**
 * The choices for the pickers of an object, loaded when one of them is first opened. If a site has more instances than are listed at
 * once, the others are found by what is typed.
 */
export function useChoices(objectId: string) {
  const [wanted, setWanted] = useState(false);
  const [typed, setTyped] = useState("");
  const listed = useQuery({ ...instanceChoicesQuery(objectId), enabled: wanted });
  const { items: found, text, finding } = useFound(objectId, typed, wanted && listed.data?.hasMore === true);
  const known = listed.data?.items ?? none;
  const instances = useMemo(() => offered(instanceChoices, known, found, text), [known, found, text]);
  const snapshots = useMemo(() => offered(snapshotChoices, known, found, text), [known, found, text]);
  return {
    instances,
    snapshots,
    loading: (wanted && listed.isPending) || finding,
    hasMore: listed.data?.hasMore === true,
    failure: listed.error === null ? undefined : messageOf(listed.error),
    want: () => {
      setWanted(true);
      if (listed.isError) void listed.refetch();
    },
    search: setTyped,
  };
}

const none: readonly TestInstanceListItem[] = [];

/** @returns the instances that match `text`, which is the debounced input; `finding`: they are still being loaded */
function useFound(objectId: string, typed: string, enabled: boolean) {
  const [text] = useDebouncedValue(typed.trim(), restMs);
  // names do not contain the number of a snapshot
  const asked = text.replace(/\s*#\d*$/, "").slice(0, askedMaxChars);
  const query = useQuery({ ...foundInstancesQuery(objectId, asked), enabled: enabled && asked !== "" });
  const finding = enabled && typed.trim() !== "" && (text !== typed.trim() || query.isLoading);
  return { items: query.data?.items ?? none, text, finding };
}

const instanceChoices = (instances: readonly TestInstanceListItem[]): Choice[] =>
  instances.map((instance) => ({
    value: instance.id,
    label: instance.name || instance.url || instance.id,
    note: String(instance.snapshots_total),
  }));

/** Merges the listed choices and those found for a text: a choice that is both is offered once, as found. */
function offered(
  choicesOf: (instances: readonly TestInstanceListItem[]) => Choice[],
  listed: readonly TestInstanceListItem[],
  found: readonly TestInstanceListItem[],
  text: string,
): Choice[] {
  const all = [...choicesOf(listed), ...choicesOf(found).map((choice) => ({ ...choice, foundFor: text }))];
  return [...new Map(all.map((choice) => [choice.value, choice])).values()];
}
