import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { instanceChoicesQuery } from "../../api/queries.js";
import type { Choice } from "../../ui/searchable-select.js";
import { snapshotChoices } from "./snapshot-choices.js";

/** What the pickers of an object offer, read when one of them is first opened. */
export function useChoices(objectId: string) {
  const [wanted, setWanted] = useState(false);
  const query = useQuery({ ...instanceChoicesQuery(objectId), enabled: wanted });
  const instances = useMemo<Choice[]>(
    () =>
      (query.data?.items ?? []).map((instance) => ({
        value: instance.id,
        label: instance.name || instance.url || instance.id,
        note: String(instance.snapshots_total),
      })),
    [query.data],
  );
  const snapshots = useMemo<Choice[]>(() => snapshotChoices(query.data?.items ?? []), [query.data]);
  return { instances, snapshots, loading: wanted && query.isPending, want: () => setWanted(true) };
}
