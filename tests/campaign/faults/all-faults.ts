import { connectionFaults } from "./connections.ts";
import { diskAndDoubleFaults } from "./disks-and-doubles.ts";
import type { Fault } from "./fault.ts";
import { processFaults } from "./processes.ts";

/** Every fault that a round can have, by name. */
export const allFaults: readonly Fault[] = [...processFaults, ...connectionFaults, ...diskAndDoubleFaults];
