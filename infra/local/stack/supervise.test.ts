import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { birthOf } from "./process-birth.mjs";
import { supervise } from "./supervise.mjs";
import { until } from "./until.mjs";

const watched: string[] = [];
const watchdog = {
  guard: (pid: number, signal: string) => void watched.push(`+${signal}${pid}`),
  release: (pid: number, signal: string) => void watched.push(`-${signal}${pid}`),
  close: () => Promise.resolve(),
};
const lines: string[] = [];
const running: { kill(): void }[] = [];

function run(script: string, stopWithinMs = 5_000, logFile?: string) {
  const program = {
    name: "part",
    ...(logFile === undefined ? {} : { logFile }),
    spawn: (): ChildProcess => spawn(process.execPath, ["-e", script], { stdio: "ignore" }),
    stopSignal: "TERM" as const,
    stopWithinMs,
    hardSignal: "KILL" as const,
  };
  const part = supervise(program, { log: (line) => lines.push(line), watchdog, onChange: () => undefined });
  running.push(part);
  return part;
}

const until10s = <T>(condition: () => T | undefined) => until(condition, { timeoutMs: 10_000, everyMs: 10 });

afterEach(() => {
  for (const part of running.splice(0)) part.kill();
  watched.length = 0;
  lines.length = 0;
});

describe("supervise", () => {
  test("starts a program again that was killed, and says so", async () => {
    const part = run("setInterval(() => {}, 1000)");
    const first = part.pid();
    if (first === undefined) throw new Error("not started");
    process.kill(first, "SIGKILL");
    const second = await until10s(() => (part.pid() === first ? undefined : part.pid()));
    expect(second).toBeDefined();
    expect(lines).toEqual(["part stopped by itself (killed by SIGKILL); starting it again in 0.2 s"]);
    expect(watched).toEqual([`+TERM${first}`, `-TERM${first}`, `+TERM${second}`]);
  });

  test("waits longer before each further start", async () => {
    const part = run("process.exit(3)");
    await until10s(() => (part.deaths() >= 3 ? true : undefined));
    expect(lines.slice(0, 3).map((line) => / in (.*) s$/.exec(line)?.[1])).toEqual(["0.2", "0.4", "0.8"]);
    expect(part.lastEnd()).toBe("exit code 3");
  });

  test("says why a program ended that wrote it into its log", async () => {
    const logFile = join(await mkdtemp(join(tmpdir(), "web-tester-supervise-")), "part.log");
    await writeFile(logFile, "FATAL:  of an earlier time\n");
    const said = "LOG:  starting\nFATAL:  no space left on the disk\nLOG:  shut down\n";
    const script = `require("node:fs").appendFileSync(${JSON.stringify(logFile)}, ${JSON.stringify(said)}); process.exit(1)`;
    const part = run(script, 5_000, logFile);
    await until10s(() => (part.deaths() >= 1 ? true : undefined));
    expect(lines[0]).toBe(
      `part stopped by itself (exit code 1: FATAL:  no space left on the disk); starting it again in 0.2 s (log: ${logFile})`,
    );
    expect(part.lastEnd()).toBe("exit code 1");
    await rm(dirname(logFile), { recursive: true });
  });

  test("stop ends it for good", async () => {
    const part = run("setInterval(() => {}, 1000)");
    const pid = part.pid() ?? 0;
    await part.stop();
    expect(birthOf(pid)).toBeUndefined();
    expect(part.pid()).toBeUndefined();
    expect(lines).toEqual([]);
    await part.stop();
  });

  test("a program that will not end is killed", async () => {
    const part = run("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.title = 'stubborn'", 300);
    const pid = part.pid() ?? 0;
    await part.stop();
    expect(birthOf(pid)).toBeUndefined();
  });

  test("a program that cannot be started counts as dead", async () => {
    const part = supervise(
      {
        name: "missing",
        spawn: () => spawn("/nonexistent/program"),
        stopSignal: "TERM",
        stopWithinMs: 100,
        hardSignal: "KILL",
      },
      { log: (line) => lines.push(line), watchdog, onChange: () => undefined },
    );
    running.push(part);
    await until10s(() => (part.deaths() >= 2 ? true : undefined));
    expect(part.lastEnd()).toContain("ENOENT");
    await part.stop();
  });

  test("a start that fails is tried again", async () => {
    let starts = 0;
    const part = supervise(
      {
        name: "part",
        spawn() {
          starts += 1;
          if (starts < 3) throw new Error("ENOSPC: no space left on device, write");
          return spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
        },
        stopSignal: "TERM",
        stopWithinMs: 5_000,
        hardSignal: "KILL",
      },
      { log: (line) => lines.push(line), watchdog, onChange: () => undefined },
    );
    running.push(part);
    expect(part.pid()).toBeUndefined();
    expect(await until10s(() => part.pid())).toBeDefined();
    expect(lines[0]).toBe(
      "part stopped by itself (ENOSPC: no space left on device, write); starting it again in 0.2 s",
    );
    await part.stop();
  });
});
