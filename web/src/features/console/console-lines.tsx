import { limits } from "@web-tester/contracts/limits";
import { IconArrowDown } from "@tabler/icons-react";
import { memo, useLayoutEffect, useRef, useState } from "react";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import { type ConsoleLine, wordsIn } from "./console-line.js";
import { useConsole } from "./console-store.js";
import { isAtBottom } from "./follow.js";
import { lineTime } from "./line-time.js";
import classes from "./console.module.css";

/** Shows the lines, and below them whether the view follows the newest. */
export function ConsoleLines() {
  const lines = useConsole((state) => state.lines);
  const box = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const toBottom = () => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(() => {
    if (following) toBottom();
  }, [lines, following]);

  return (
    <>
      <div
        ref={box}
        className={classes["lines"]}
        role="log"
        aria-label={t("Job lines")}
        aria-live="off"
        tabIndex={0}
        data-autofocus
        onScroll={(event) => setFollowing(isAtBottom(event.currentTarget))}
      >
        {lines.length === 0 ? (
          <p className={classes["empty"]}>{t("No console output yet.")}</p>
        ) : (
          <ol>
            {lines.map((line) => (
              <Line key={line.id} line={line} />
            ))}
          </ol>
        )}
      </div>
      <Foot lines={lines.length} following={following} onFollow={() => setFollowing(true)} />
    </>
  );
}

interface FootProps {
  lines: number;
  following: boolean;
  onFollow(): void;
}

function Foot({ lines, following, onFollow }: FootProps) {
  return (
    <footer className={classes["foot"]}>
      <span>
        {t("{lines}, the last {kept} are kept", {
          lines: counted(lines, "line"),
          kept: limits.consoleLinesKept,
        })}
      </span>
      {lines > 0 &&
        (following ? (
          <span className={classes["following"]}>
            <IconArrowDown size={14} aria-hidden />
            {t("Following the newest line")}
          </span>
        ) : (
          <button type="button" className={classes["jump"]} onClick={onFollow}>
            <IconArrowDown size={14} aria-hidden />
            {t("Jump to newest")}
          </button>
        ))}
    </footer>
  );
}

const Line = memo(({ line }: { line: ConsoleLine }) => (
  <li className={classes["line"]} data-level={line.level}>
    <time className={classes["time"]} dateTime={line.ts === null ? undefined : new Date(line.ts).toISOString()}>
      {line.ts === null ? "" : lineTime(line.ts)}
    </time>
    <span className={classes["level"]}>{line.level}</span>
    <span className={classes["job"]} title={line.jobId === "" ? undefined : t("Run {jobId}", { jobId: line.jobId })}>
      {line.jobId.slice(-6)}
    </span>
    <span className={classes["message"]}>{wordsIn(line)}</span>
  </li>
));
