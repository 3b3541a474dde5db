import type { LaneStack, StoreKind } from "../lane.ts";
import type { Random } from "../random.ts";
import type { Workload } from "../workload.ts";

/** What a fault may use when it strikes. */
export interface Scene {
  lane: LaneStack;
  work: Workload;
  random: Random;
  signal: AbortSignal;
  /** A built checkout of an older version; undefined where there is none. */
  oldHome: string | undefined;
}

interface Struck {
  /** Which parts it hit, in words for the report. */
  where: string;
  /** How long it lasts. */
  forMs: number;
  /** Ends the fault. After a kill there is nothing to do: the product itself starts the part again. */
  heal(): Promise<void> | void;
}

export interface Fault {
  name: string;
  /** The kind of object store that the fault needs. */
  store: StoreKind;
  /** Acts that a round with this fault has whenever they are possible, beside those drawn at random. */
  with?: readonly ("backup" | "collect" | "delete")[];
  /** What has to be going on so that the fault hits something; default: a crawl, a fetch, or both. */
  during?: "crawl" | "fetch";
  /** Whether it strikes before the acts of the round begin; it then ends while they go on. */
  early?: boolean;
  /** Returns why the fault cannot be run on this machine, or null if it can. */
  missing?(scene: Pick<Scene, "lane" | "oldHome">): string | null;
  strike(scene: Scene): Promise<Struck> | Struck;
}

export const nothing = () => undefined;
