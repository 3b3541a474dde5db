import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import { useCallback, useMemo, useState } from "react";

/** Which pages are chosen: some that were clicked, or all that the list's filter leaves. */
export interface Selection {
  /** Whether rows are there to be chosen. */
  readonly active: boolean;
  readonly all: boolean;
  readonly chosen: ReadonlyMap<string, TestInstanceListItem>;
}

const none: Selection = { active: false, all: false, chosen: new Map() };

/** The pages that are chosen in a list. */
export function useSelection() {
  const [selection, setSelection] = useState<Selection>(none);
  const toggle = useCallback(
    (instances: readonly TestInstanceListItem[], on: boolean) =>
      setSelection((now) => {
        const chosen = new Map(now.chosen);
        for (const instance of instances) {
          if (on) chosen.set(instance.id, instance);
          else chosen.delete(instance.id);
        }
        return { active: true, all: false, chosen };
      }),
    [],
  );
  return useMemo(
    () => ({
      ...selection,
      toggle,
      begin: () => setSelection({ ...none, active: true }),
      chooseAll: () => setSelection({ active: true, all: true, chosen: new Map() }),
      end: () => setSelection(none),
    }),
    [selection, toggle],
  );
}

export type SelectionState = ReturnType<typeof useSelection>;
