import { useQueryClient } from "@tanstack/react-query";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { toast } from "../../ui/toasts/toasts.js";
import type { Gap, Opened } from "./row-model.js";

/** How many lines are opened at a time, so that a gap of a hundred thousand lines opens in pieces. */
export const linesAtOnce = 500;

/**
 * Loads unchanged lines on demand, by line number of B; those next to a change come first.
 * @param as the form that is shown
 * @param file address of the file that is compared instead of the HTML
 */
export function useOpened(snapshotId: string, as: ContentForm, file?: string) {
  const client = useQueryClient();
  const [opened, setOpened] = useState<Opened>(new Map());
  const [shown, setShown] = useState(as);
  if (shown !== as) {
    // lines of another form have other numbers
    setShown(as);
    setOpened(new Map());
  }
  const [busy, setBusy] = useState<number>();
  const open = async (gap: Gap) => {
    const count = Math.min(gap.count, linesAtOnce);
    const from = gap.place === "start" ? gap.bFrom + gap.count - count : gap.bFrom;
    setBusy(gap.bFrom);
    try {
      const range = { from, to: from + count - 1, as, ...(file === undefined ? {} : { file }) };
      const { lines } = await client.fetchQuery({
        queryKey: ["lines", snapshotId, range],
        queryFn: () => call("getSnapshotLines", { params: { id: snapshotId }, query: range }),
        staleTime: 60_000,
      });
      setOpened((now) => new Map([...now, ...lines.map((text, index): [number, string] => [from + index, text])]));
    } catch (error) {
      toast("error", messageOf(error));
    } finally {
      setBusy(undefined);
    }
  };
  return { opened, busy, open };
}
