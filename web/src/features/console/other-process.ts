import { t } from "../../texts/text.js";
import type { ConsoleLine } from "./console-line.js";

/**
 * Returns the warning that lines came through another server process than the connected one (specification §2).
 * The server process is the one that sent `welcome`. Crawlers, fetchers and differs write lines too, each in a process of its own, so
 * that a line's own `_pid` always differs and says nothing. What people have to know is that the connection has moved, after a restart
 * or to another replica, and that older lines on the screen came through the server before: counters and runs may have changed in
 * between.
 * @param pid of the connected server; undefined: unknown
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
