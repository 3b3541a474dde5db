import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { open, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { z } from "zod";
import { errorCode } from "@web-tester/platform/object-store/object-driver";

const lockName = "lock";
const renewEveryMs = 5_000;
/** A holder that cannot be checked (on another machine or in another container) and did not renew the lock for this long is taken for dead. */
const staleMs = 60_000;
/** A holder that could not renew the lock for this long gives up, before anybody takes its place. */
const giveUpMs = 40_000;

const holderSchema = z.object({
  what: z.string(),
  host: z.string(),
  since: z.string(),
  /** The machine start and PID namespace in which `pid` and `birth` mean something. */
  place: z.string(),
  pid: z.int(),
  birth: z.string(),
  token: z.string(),
});
type Holder = z.infer<typeof holderSchema>;

/** A lock on a backup's folder, held against other backups and restores. */
export interface FolderLock {
  /** Aborted when another process has taken the folder. */
  signal: AbortSignal;
  /** @throws AppError conflict if the folder belongs to another process by now: nothing may be written or removed any more */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Locks a backup's folder by a file in it that names its holder and is renewed while it works. The lock of a process that has died is
 * replaced: at once if the process can be checked, after a minute if it ran on another machine or in another container.
 * @param what "backup" or "restore"; a restore may read a folder that it cannot write to
 * @throws AppError conflict naming the holder
 */
export async function lockFolder(folder: string, what: "backup" | "restore"): Promise<FolderLock> {
  const path = join(folder, lockName);
  const mine = JSON.stringify({
    what,
    host: hostname(),
    since: new Date().toISOString(),
    place: placeOfProcesses(),
    pid: process.pid,
    birth: birthOf(process.pid) ?? "",
    token: randomBytes(12).toString("hex"),
  } satisfies Holder);
  try {
    while (!(await createNew(path, mine))) await replaceDead(folder, path, mine);
  } catch (error) {
    if (what !== "restore" || !/^(EROFS|EACCES|EPERM)$/.test(errorCode(error) ?? "")) throw error;
    await refuseLiving(folder, path, Date.now());
    return unlocked;
  }
  return hold(folder, path, mine);
}

/** The lock of a folder that this process cannot write to; files that are changed meanwhile are noticed when they are read. */
const unlocked: FolderLock = {
  signal: new AbortController().signal,
  check: () => Promise.resolve(),
  release: () => Promise.resolve(),
};

function hold(folder: string, path: string, mine: string): FolderLock {
  const lost = new AbortController();
  let renewedAt = performance.now();
  const lose = () =>
    lost.abort(
      new AppError("conflict", `Another process has taken ${folder} over: nothing more is written. Start again.`),
    );
  const check = async () => {
    if ((await readIfThere(path)) !== mine) lose();
    lost.signal.throwIfAborted();
  };
  const renew = async () => {
    await check();
    // by the clock that others measure its age with: a machine whose own clock is a minute behind would lose its lock
    const now = new Date(await clockOf(folder).catch(() => Date.now()));
    await utimes(path, now, now);
    renewedAt = performance.now();
  };
  const timer = setInterval(() => {
    if (performance.now() - renewedAt > giveUpMs) lose();
    renew().catch(() => undefined);
  }, renewEveryMs);
  timer.unref();
  return {
    signal: lost.signal,
    check,
    async release() {
      clearInterval(timer);
      if ((await readIfThere(path).catch(() => null)) === mine) await rm(path, { force: true });
    },
  };
}

/**
 * Removes the lock of a holder that has died. Only one process at a time may do so: if two had both seen it, the slower one would remove
 * the lock of the faster.
 * @throws AppError conflict if the holder is alive
 */
async function replaceDead(folder: string, path: string, mine: string): Promise<void> {
  const turn = `${path}.turn`;
  if (!(await createNew(turn, mine))) {
    if ((await describeHolder(turn, await clockOf(folder))) === null) await rm(turn, { force: true });
    return;
  }
  try {
    await refuseLiving(folder, path, (await stat(turn)).mtimeMs);
    const dead = `${path}.dead`;
    await rename(path, dead).catch(ignoreMissing);
    await rm(dead, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

/** @param now by the clock of the file system, which all processes that share it have in common */
async function refuseLiving(folder: string, path: string, now: number): Promise<void> {
  const living = await describeHolder(path, now);
  if (living !== null)
    throw new AppError("conflict", `${living} is using ${folder}: wait for its end, or name another folder.`);
}

/** @returns null if the holder is gone */
async function describeHolder(path: string, now: number): Promise<string | null> {
  const text = await readIfThere(path);
  const found = text === null ? null : await stat(path).catch(ignoreMissing);
  if (text === null || found == null) return null;
  const holder = parseHolder(text);
  const isStale = now - found.mtimeMs > staleMs;
  // half written: the process that created it has just begun, or died while writing
  if (holder === null) return isStale ? null : "Another process";
  const words = `A ${holder.what} (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
  if (holder.place === placeOfProcesses()) return birthOf(holder.pid) === holder.birth ? words : null;
  return isStale ? null : words;
}

function parseHolder(text: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** @returns false if the file exists already */
async function createNew(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function clockOf(folder: string): Promise<number> {
  const path = join(folder, `${lockName}.clock-${process.pid}-${randomBytes(4).toString("hex")}`);
  await writeFile(path, "");
  const { mtimeMs } = await stat(path);
  await rm(path, { force: true });
  return mtimeMs;
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(ignoreMissing);
}

function ignoreMissing(error: unknown): null {
  if (errorCode(error) !== "ENOENT") throw error;
  return null;
}

/** Identifies where process numbers are unique: every start of a machine and every container has its own. */
function placeOfProcesses(): string {
  if (process.platform !== "linux") return hostname();
  return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
}

/**
 * Returns when a process began, as text: its number alone may be reused. Source: proc(5): field 3 is the state, field 22 the start in clock
 * ticks; field 2 may hold any character.
 * @returns undefined if there is no such process
 */
function birthOf(pid: number): string | undefined {
  if (process.platform !== "linux") return isRunning(pid) ? "running" : undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
