import { formatDate, formatExactly, formatRelative } from "./dates.js";

/** A moment as lists show it; hovering shows how long ago it was, with seconds and zone. */
export function Moment({ at }: { at: string | null | undefined }) {
  const shown = formatDate(at);
  if (at === null || at === undefined || shown === "-") return shown;
  return (
    <time dateTime={at} title={`${formatRelative(at, Date.now())}: ${formatExactly(at)}`}>
      {shown}
    </time>
  );
}
