import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { LaneStack } from "../lane.ts";
import { serviceNames } from "../lane.ts";
import { signalAll, treeOf } from "../services.ts";
import { type Fault, nothing } from "./fault.ts";

const parts = [...serviceNames, "nats", "postgres"] as const;
type Part = (typeof parts)[number];

/** Returns the process ID of a part; waits up to 10 s while the part is being started again. @throws Error after that */
async function pidOf(lane: LaneStack, part: Part): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const pid = lane.pidOf(part);
    if (pid !== undefined) return pid;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${part} does not run`);
}

/** The kind of work that a part has to do with, for parts that have to do with one kind only. */
const busyDuring: Partial<Record<Part, Pick<Fault, "during">>> = {
  crawler: { during: "crawl" },
  fetcher: { during: "fetch" },
  differ: { during: "fetch" },
};

const killed = (part: Part): Fault => ({
  name: `kill-${part}`,
  store: "folder",
  ...busyDuring[part],
  async strike({ lane }) {
    const pid = await pidOf(lane, part);
    signalAll([pid], "SIGKILL");
    return { where: `${part} (${pid})`, forMs: 0, heal: nothing };
  },
});

/** Stops all processes of a part (PostgreSQL has many) for 5 to 60 s. */
const frozen = (part: Part): Fault => ({
  name: `freeze-${part}`,
  store: "folder",
  ...busyDuring[part],
  async strike({ lane, random }) {
    const pids = treeOf(await pidOf(lane, part));
    signalAll(pids, "SIGSTOP");
    return {
      where: `${part} (${pids.join(", ")})`,
      forMs: random.between(5_000, 60_000),
      heal: () => signalAll(pids, "SIGCONT"),
    };
  },
});

/** Options for `rm` with retries, as the NATS server may create files in the folder meanwhile. */
const gone = { recursive: true, force: true, maxRetries: 20, retryDelay: 20 };

const wiped = (name: string, isKilled: boolean): Fault => ({
  name,
  store: "folder",
  async strike({ lane }) {
    if (isKilled) signalAll([await pidOf(lane, "nats")], "SIGKILL");
    await rm(join(lane.dataDir, "nats"), gone);
    return { where: "the store of NATS", forMs: 0, heal: nothing };
  },
});

const backendKilled: Fault = {
  name: "crash-postgres-backend",
  store: "folder",
  async strike({ lane, random }) {
    const [, ...backends] = treeOf(await pidOf(lane, "postgres"));
    const [victim] = random.shuffled(backends);
    if (victim === undefined) throw new Error("PostgreSQL has no backends");
    signalAll([victim], "SIGKILL");
    return { where: `backend ${victim}`, forMs: 0, heal: nothing };
  },
};

/** Kills all processes at once, as a power cut does. */
const allKilled: Fault = {
  name: "kill-everything",
  store: "folder",
  strike({ lane }) {
    const pids = parts.flatMap((part) => lane.pidOf(part) ?? []).flatMap(treeOf);
    signalAll(pids, "SIGKILL");
    return { where: `${pids.length} processes`, forMs: 0, heal: nothing };
  },
};

const hourMs = 3_600_000;
/** Shifts the clock of one service, or of all; PostgreSQL and NATS keep the machine's clock. */
const shifted = (name: string, ms: number): Fault => ({
  name,
  store: "folder",
  early: true,
  async strike({ lane, random }) {
    const hit = random.chance(0.3) ? [...serviceNames] : [random.pick(serviceNames)];
    for (const part of hit) {
      await pidOf(lane, part);
      lane.services.get(part)?.shiftClock(ms);
    }
    return {
      where: hit.join(", "),
      forMs: random.between(3_000, 15_000),
      heal: () => hit.forEach((part) => lane.services.get(part)?.shiftClock(0)),
    };
  },
});

/** Processes that are killed, frozen or have a wrong clock, and the loss of the data that NATS stores. */
export const processFaults: readonly Fault[] = [
  ...parts.map(killed),
  ...parts.map(frozen),
  wiped("wipe-nats-running", false),
  wiped("wipe-nats-down", true),
  backendKilled,
  allKilled,
  shifted("clock-ahead", hourMs),
  shifted("clock-behind", -hourMs),
];
