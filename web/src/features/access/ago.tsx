import { formatDate, formatExactly, formatRelative } from "../../ui/format/dates.js";

/** A moment as one says it, with the moment itself beside it: "3 hours ago (24.11.2026 12:03)". */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExactly(at)}>
      {formatRelative(at, Date.now())} ({formatDate(at)})
    </time>
  );
}
