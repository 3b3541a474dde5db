import { t } from "../../texts/text.js";
import type { ConsoleLine } from "./console-line.js";

/**
 * The warning that lines come from another server process than the connected one (specification §2).
 *
 * The server process is the one that greeted with `welcome`. Lines are written by crawlers, fetchers and differs too, each
 * in a process of its own, so that a line's own `_pid` differs all the time and means nothing. What a person has to know
 * is that the connection has moved, after a restart or to another replica, and that older lines on the screen came
 * through the server before: counters and runs may have changed between.
 *
 * @param pid of the connected server; undefined: not known
 * @returns undefined where all lines came through the connected one
 */
export function otherProcessWarning(lines: readonly ConsoleLine[], pid: number | undefined): string | undefined {
  if (pid === undefined) return undefined;
  const others = [...new Set(lines.flatMap(({ via }) => (via === undefined || via === pid ? [] : [via])))];
  if (others.length === 0) return undefined;
  const names =
    others.length === 1
      ? t("process {pid}", { pid: String(others[0]) })
      : t("processes {pids}", { pids: others.join(", ") });
  return t("Some lines come from {names}, an earlier server process than the one connected now.", { names });
}
