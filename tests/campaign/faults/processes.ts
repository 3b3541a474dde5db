import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { LaneStack } from "../lane.ts";
import { serviceNames } from "../lane.ts";
import { signalAll, treeOf } from "../services.ts";
import { type Fault, nothing } from "./fault.ts";

const parts = [...serviceNames, "nats", "postgres"] as const;
type Part = (typeof parts)[number];

/** Waits for a part that is just being started again. */
async function pidOf(lane: LaneStack, part: Part): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const pid = lane.pidOf(part);
    if (pid !== undefined) return pid;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${part} does not run`);
}

/** What a part takes part in, where it is one thing only. */
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

/** All processes of a part: PostgreSQL is many. */
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

/** The server may be making files meanwhile. */
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

/** What a power cut does to the processes. */
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
/** Clocks of services; those of PostgreSQL and NATS are the machine's. */
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

/** Faults of processes: killed, frozen, with a wrong clock; and of what NATS keeps. */
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
