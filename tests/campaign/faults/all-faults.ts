import { connectionFaults } from "./connections.ts";
import { diskAndDoubleFaults } from "./disks-and-doubles.ts";
import type { Fault } from "./fault.ts";
import { processFaults } from "./processes.ts";

/** All faults that a campaign injects unless `--faults` names some. */
export const allFaults: readonly Fault[] = [...processFaults, ...connectionFaults, ...diskAndDoubleFaults];
