import type { LaneStack, StoreKind } from "../lane.ts";
import type { Random } from "../random.ts";
import type { Workload } from "../workload.ts";

/** What a fault finds when it strikes. */
export interface Scene {
  lane: LaneStack;
  work: Workload;
  random: Random;
  signal: AbortSignal;
  /** A built checkout of an older version; undefined where there is none. */
  oldHome: string | undefined;
}

interface Struck {
  /** Whom and what it hit, for who reads of a failed round. */
  where: string;
  /** How long it lasts. */
  forMs: number;
  /** Ends it. A kill has ended when it has happened: that the part is started again is the product's own doing. */
  heal(): Promise<void> | void;
}

export interface Fault {
  name: string;
  /** What the store has to be. */
  store: StoreKind;
  /** Acts that belong to it beside the usual ones. */
  with?: readonly ("backup" | "collect" | "delete")[];
  /** What has to be under way for it to meet anything; default: a crawl, a fetch, or both. */
  during?: "crawl" | "fetch";
  /** It strikes before the acts begin, and ends while they go on. */
  early?: boolean;
  /** Why it cannot be run on this machine, null where it can. */
  missing?(scene: Pick<Scene, "lane" | "oldHome">): string | null;
  strike(scene: Scene): Promise<Struck> | Struck;
}

export const nothing = () => undefined;
