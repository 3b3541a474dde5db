import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import { useCallback, useMemo, useState } from "react";

/** The selected pages: some that were clicked, or all that match the list's filter. */
export interface Selection {
  /** Whether rows can be selected at present. */
  readonly active: boolean;
  readonly all: boolean;
  readonly chosen: ReadonlyMap<string, TestInstanceListItem>;
}

const none: Selection = { active: false, all: false, chosen: new Map() };

/** State of the selected pages of a list. */
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
