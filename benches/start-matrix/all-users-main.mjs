// @ts-check
// Usage: all-users-main.mjs <shell command to begin with> <program> [argument …], as root.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

const [first = "true", ...program] = process.argv.slice(2);
// The namespace has no users until we have written its maps. The shell that waits for that has lost its capabilities by
// then; the next one has them.
const inner = `${first} && exec "$@"`;
const outer = `read -r _ <&3 && exec 3<&- && exec /bin/sh -c "$0" sh "$@"`;
const child = spawn("unshare", ["--user", "--", "/bin/sh", "-c", outer, inner, ...program], {
  stdio: ["ignore", "inherit", "inherit", "pipe"],
});
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
  process.on(signal, () => child.kill(signal));
child.once("exit", (code) => process.exit(code ?? 1));
const pipe = child.stdio[3];
if (child.pid === undefined || !(pipe instanceof Object) || !("write" in pipe))
  throw new Error("unshare cannot be run");
const timer = setInterval(() => {
  try {
    for (const kind of ["uid_map", "gid_map"]) writeFileSync(`/proc/${child.pid}/${kind}`, "0 0 4294967295\n");
    clearInterval(timer);
    pipe.end("\n");
  } catch {
    // it has not entered its namespace yet
  }
}, 20);
