import { useEffect, useRef, useState } from "react";

const everyMs = 5_000;

/** Announces progress to screen readers, politely and at most every 5 s; the newest words win. */
export function Announcer({ words }: { words: string }) {
  const [said, setSaid] = useState("");
  const newest = useRef(words);
  const lastAt = useRef(0);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => {
    newest.current = words;
    timer.current ??= window.setTimeout(
      () => {
        timer.current = undefined;
        // silence is not heard: after it, the next words need not wait
        if (newest.current !== "") lastAt.current = Date.now();
        setSaid(newest.current);
      },
      Math.max(0, lastAt.current + everyMs - Date.now()),
    );
  }, [words]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return (
    <div className="sr-only" role="status" aria-live="polite">
      {said}
    </div>
  );
}
