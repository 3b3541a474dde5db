import { type Counts, type LookDeps, lookIntoContents, lookIntoPack } from "./look-into.js";
import type { Finding } from "./find-contents.js";
import { type ContentKey, selectSpots } from "./select-contents.sql.js";
import { spread, type QueryPlan } from "./query-plan.js";

/** Counts a phrase in the given contents only. Contents that cannot be read have no matches. */
export async function countInContents(
  deps: LookDeps,
  finding: Finding,
  plan: QueryPlan,
  contents: readonly ContentKey[],
): Promise<Counts> {
  const packs = new Map(plan.packs.map((pack) => [pack.id, pack]));
  const spots = await selectSpots(deps.db, finding.objectId, contents);
  const { packed, unpacked } = spread(contents, spots, ({ packId }) => packs.has(packId));
  const apart = unpacked.filter(({ problem }) => problem === null).map(({ key }) => key);
  const keysAt = new Map(spots.map(({ key, packId, position }) => [`${packId}:${position}`, key]));
  const parts = await Promise.all(
    [...packed].map(async ([id, only]) => {
      const pack = packs.get(id);
      if (pack === undefined || pack.candidates?.length === 0) return new Map<ContentKey, number>();
      const found = await lookIntoPack(deps, finding, { ...pack, documents: only.length, only });
      // the pack was replaced meanwhile: its contents themselves are always in the object store
      if (found === null) apart.push(...[...only].flatMap((position) => keysAt.get(`${id}:${position}`) ?? []));
      return found ?? new Map<ContentKey, number>();
    }),
  );
  parts.push(new Map(apart.length === 0 ? [] : await lookIntoContents(deps, finding, apart)));
  return new Map(parts.flatMap((part) => [...part]));
}
