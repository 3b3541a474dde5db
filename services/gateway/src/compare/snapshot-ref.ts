import type { SnapshotRef } from "../snapshots/find-snapshot.js";
import { id as idSchema } from "@web-tester/contracts/entities/vocabulary";
import { type Fault, invalidInput } from "../http/parse-input.js";

/** The address of a comparison as a caller writes it. */
export interface RefQuery {
  a?: string | undefined;
  b?: string | undefined;
  instance1?: string | undefined;
  instance2?: string | undefined;
  snapshot1?: string | undefined;
  snapshot2?: string | undefined;
}

/**
 * Reads both sides of a comparison.
 * @throws AppError invalid_input where a side is missing or cannot be an address
 */
export function snapshotRefs(query: RefQuery): [SnapshotRef, SnapshotRef] {
  const one = refOf({
    direct: ["a", query.a],
    instance: ["instance1", query.instance1],
    snapshot: ["snapshot1", query.snapshot1],
  });
  const other = refOf({
    direct: ["b", query.b],
    instance: ["instance2", query.instance2],
    snapshot: ["snapshot2", query.snapshot2],
  });
  const faults = [one, other].flatMap((side) => ("path" in side ? [side] : []));
  if ("path" in one || "path" in other) throw invalidInput(faults);
  return [one, other];
}

type Named = readonly [name: string, value: string | undefined];

function refOf({
  direct,
  instance,
  snapshot,
}: {
  direct: Named;
  instance: Named;
  snapshot: Named;
}): SnapshotRef | Fault {
  const [directName, directId] = given(direct);
  const [instanceName, instanceId] = given(instance);
  const [snapshotName, chosen] = given(snapshot);
  if (directId !== undefined)
    return isId(directId)
      ? { by: "snapshot", snapshotId: directId, instanceId: null }
      : notAnId(directName, "a snapshot");
  if (instanceId === undefined && chosen === undefined) {
    return {
      path: `query.${directName}`,
      message: `is missing; name the snapshot as ${directName}=<snapshot id>, or as ${instanceName}=<instance id>&${snapshotName}=<index, 0 = latest>`,
    };
  }
  if (instanceId !== undefined && !isId(instanceId)) return notAnId(instanceName, "a snapshot or an instance");
  if (chosen === undefined) return { by: "either", id: instanceId ?? "" };
  if (isId(chosen)) return { by: "snapshot", snapshotId: chosen, instanceId: instanceId ?? null };
  if (!/^\d{1,9}$/.test(chosen))
    return {
      path: `query.${snapshotName}`,
      message: "must be a snapshot id or an index (0 = latest finished snapshot)",
    };
  if (instanceId === undefined)
    return { path: `query.${instanceName}`, message: `is missing; an index needs the instance it counts in` };
  return { by: "index", instanceId, index: Number(chosen) };
}

/** Reads a named value. Browsers send an absent one as an empty text. Ids are compared in lower case, as the database writes them. */
function given([name, value]: Named): Named {
  return [name, value === "" ? undefined : value?.toLowerCase()];
}

function isId(text: string): boolean {
  return idSchema.safeParse(text).success;
}

function notAnId(name: string, what: string): Fault {
  return { path: `query.${name}`, message: `must be the id (a UUID) of ${what}` };
}
