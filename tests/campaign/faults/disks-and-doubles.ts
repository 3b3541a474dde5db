import { rm, statfs } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { programOf } from "../../../infra/local/bundled.mjs";
import { type LaneStack, runProgram, serviceNames } from "../lane.ts";
import type { Service } from "../services.ts";
import type { Fault, Scene } from "./fault.ts";

/** Fills the lane's own file system completely with one file; tries up to 20 times, as the product writes to it meanwhile. */
async function fill(folder: string): Promise<string> {
  const ballast = join(folder, "ballast");
  for (let attempt = 1; ; attempt++) {
    const { bavail, bsize } = await statfs(folder);
    if (bavail === 0) return ballast;
    try {
      execFileSync("fallocate", ["-l", String(bavail * bsize), ballast], { stdio: "ignore" });
      return ballast;
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}

const needsDisks = ({ lane }: Pick<Scene, "lane">) =>
  lane.hasOwnDisks ? null : "small file systems (tmpfs) cannot be mounted here: that needs root on Linux";

const full = (name: string, folderOf: (lane: LaneStack) => string): Fault => ({
  name,
  store: "folder",
  missing: needsDisks,
  async strike({ lane, random }) {
    const ballast = await fill(folderOf(lane));
    return { where: name, forMs: random.between(3_000, 20_000), heal: () => rm(ballast, { force: true }) };
  },
});

/** Starts a second process of each named service; `stop` ends them in order, as an operator would. */
async function beside(lane: LaneStack, names: readonly (typeof serviceNames)[number][], home?: string) {
  const started = await Promise.all(names.map((name) => lane.runFurther(name, home === undefined ? {} : { home })));
  return {
    async stop() {
      await Promise.all(started.map((service: Service) => service.stop()));
    },
  };
}

const doubled = (name: string, names: readonly (typeof serviceNames)[number][]): Fault => ({
  name,
  store: "folder",
  with: ["delete", "collect"],
  early: true,
  async strike({ lane, random }) {
    const second = await beside(lane, names);
    return { where: names.join(", "), forMs: random.between(1_000, 8_000), heal: () => second.stop() };
  },
});

const migrations: Fault = {
  name: "two-migrations",
  store: "folder",
  async strike({ lane }) {
    const program = programOf("packages/records/dist/schema/migrate.js");
    const both = await Promise.all([1, 2].map(() => runProgram(program, ["up"], lane.envOf("tools"), 60_000)));
    const failed = both.find(({ code }) => code !== 0);
    if (failed !== undefined) throw new Error(`A migration beside another failed: ${failed.said}`);
    return { where: "migrate.js, twice", forMs: 0, heal: () => undefined };
  },
};

/** A rolling update: services of the older version run beside the new ones, then are stopped. */
const rolling: Fault = {
  name: "rolling-version",
  store: "folder",
  early: true,
  missing: ({ oldHome }) =>
    oldHome === undefined ? "there is no older version: name a built checkout or a revision with --old" : null,
  async strike({ lane, random, oldHome }) {
    const older = await beside(lane, serviceNames, oldHome);
    return { where: "all services", forMs: random.between(1_000, 8_000), heal: () => older.stop() };
  },
};

/** Full disks, services and migrations that run twice, and two versions at once. */
export const diskAndDoubleFaults: readonly Fault[] = [
  full("full-disk-of-store", ({ objectsDir }) => objectsDir),
  full("full-disk-of-database", ({ dataDir }) => dataDir),
  doubled("two-gateways", ["gateway"]),
  doubled("two-workers", ["crawler", "fetcher", "differ"]),
  { ...doubled("two-of-everything", serviceNames), with: ["delete", "collect", "backup"] },
  migrations,
  rolling,
];
