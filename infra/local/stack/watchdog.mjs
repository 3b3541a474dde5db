// @ts-check
import { spawn } from "node:child_process";

/**
 * A shell (2 MB) that outlives us by a few seconds: it is told on stdin which processes are ours, and when stdin ends
 * because we were killed (kill -9, out of memory) it ends them. Postgres and NATS cannot watch
 * their parent themselves.
 *
 * Lines on its stdin: `+ <signal> <pid>` guards a process, `- <signal> <pid>` releases it.
 */
const program = `
guarded=' '
while read -r op sig pid; do
  case "$op" in
    +) guarded="$guarded$sig:$pid " ;;
    -) rest=' '; for g in $guarded; do [ "$g" = "$sig:$pid" ] || rest="$rest$g "; done; guarded=$rest ;;
  esac
done
for g in $guarded; do kill -s "\${g%%:*}" "\${g#*:}" 2>/dev/null; done
tries=0
while [ $tries -lt 80 ]; do
  left=''
  for g in $guarded; do kill -0 "\${g#*:}" 2>/dev/null && left="$left \${g#*:}"; done
  [ -n "$left" ] || exit 0
  sleep 0.1
  tries=$((tries + 1))
done
kill -s KILL $left 2>/dev/null
`;

/**
 * @typedef {object} Watchdog
 * @property {(pid: number, signal: string) => void} guard end this process with `signal` (name without SIG) if we die
 * @property {(pid: number, signal: string) => void} release the process has ended
 * @property {() => Promise<void>} close ends the watchdog; nothing is guarded any longer
 */

/**
 * Starts the watchdog. On systems without a POSIX shell (Windows) it guards nothing, and the next start cleans up.
 * @returns {Watchdog}
 */
export function startWatchdog() {
  if (process.platform === "win32") return { guard() {}, release() {}, close: () => Promise.resolve() };
  // It has its own process group, because Ctrl-C in the terminal would end it first otherwise.
  const shell = spawn("/bin/sh", ["-c", program], { stdio: ["pipe", "ignore", "ignore"], detached: true, cwd: "/" });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  /** @type {Set<string>} */
  const guarded = new Set();
  return {
    guard(pid, signal) {
      guarded.add(`${signal} ${pid}`);
      shell.stdin.write(`+ ${signal} ${pid}\n`);
    },
    release(pid, signal) {
      guarded.delete(`${signal} ${pid}`);
      shell.stdin.write(`- ${signal} ${pid}\n`);
    },
    close() {
      for (const entry of guarded) shell.stdin.write(`- ${entry}\n`);
      return new Promise((resolve) => {
        if (shell.exitCode !== null || shell.signalCode !== null || shell.pid === undefined) return resolve();
        shell.ref();
        shell.once("exit", () => resolve());
        shell.stdin.end();
      });
    },
  };
}
