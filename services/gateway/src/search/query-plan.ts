import type { SearchScope } from "@web-tester/contracts/entities/search";
import type { Queryable } from "@web-tester/platform/database/database";
import type { Needle } from "@web-tester/search-index/needle";
import { candidateFrames } from "@web-tester/search-index/segment";
import {
  type ContentKey,
  type ContentSpot,
  countProblems,
  selectContentsOf,
  selectSpots,
  selectWaiting,
} from "./select-contents.sql.js";
import { type PackRow, selectPacks } from "./select-packs.sql.js";

/** A pack that is to be searched. */
export interface PlannedPack {
  id: string;
  /** How many documents are searched: all of the pack, or those in `only`. */
  documents: number;
  /** Frames that may contain the phrase; null: any. */
  candidates: Int32Array | null;
  /** Positions of the documents to search, ascending; null: all. */
  only: Int32Array | null;
}

/** What there is to search at one moment, and what the filters of the packs say about it. */
export interface QueryPlan {
  packs: PlannedPack[];
  /** Contents in no pack, which have to be read one by one. */
  tail: ContentKey[];
  /** Whether more contents are in no pack than one search reads. */
  unseen: boolean;
  /** How many contents cannot be read. */
  problems: number;
}

/** The most contents outside of packs that one search reads: indexing is behind by more only for a short time. */
export const tailMax = 2_000;

/**
 * Surveys what there is to search; null where a pack was replaced meanwhile.
 * @param instanceId only what this instance ever had; null: all of the object
 */
export async function planQuery(
  db: Queryable,
  { objectId, instanceId }: { objectId: string; instanceId: string | null },
  scope: SearchScope,
  needle: Needle,
): Promise<QueryPlan | null> {
  return instanceId === null
    ? planForObject(db, objectId, scope, needle)
    : planForInstance(db, objectId, instanceId, scope, needle);
}

async function planForObject(db: Queryable, objectId: string, scope: SearchScope, needle: Needle): Promise<QueryPlan> {
  const waiting = await selectWaiting(db, objectId, tailMax + 1);
  const [packs, problems] = await Promise.all([selectPacks(db, objectId, scope, needle), countProblems(db, objectId)]);
  return {
    packs: packs
      .filter(({ outdated }) => !outdated)
      .map((pack) => ({ id: pack.id, documents: pack.documents, candidates: candidatesOf(pack), only: null })),
    tail: waiting.slice(0, tailMax),
    unseen: waiting.length > tailMax || packs.some(({ outdated }) => outdated),
    problems,
  };
}

/** Surveys the contents of one instance; null where a pack was replaced meanwhile. */
async function planForInstance(
  db: Queryable,
  objectId: string,
  instanceId: string,
  scope: SearchScope,
  needle: Needle,
): Promise<QueryPlan | null> {
  const contents = await selectContentsOf(db, instanceId);
  const spots = await selectSpots(db, objectId, contents);
  const packs = new Map((await selectPacks(db, objectId, scope, needle)).map((pack) => [pack.id, pack]));
  const { packed, unpacked } = spread(contents, spots, ({ packId }) => packs.get(packId)?.outdated === false);
  if (unpacked.some(({ packId }) => packId !== null && !packs.has(packId))) return null;
  const readable = unpacked.filter(({ problem }) => problem === null).map(({ key }) => key);
  return {
    packs: [...packed].flatMap(([id, only]) => {
      const pack = packs.get(id);
      return pack === undefined ? [] : [{ id, documents: only.length, candidates: candidatesOf(pack), only }];
    }),
    tail: readable.slice(0, tailMax),
    unseen: readable.length > tailMax,
    problems: unpacked.length - readable.length,
  };
}

/**
 * Groups contents by the packs that contain them.
 * @param isUsable whether a content's pack can be searched
 * @returns `packed`: positions, ascending; `unpacked`: all others, also those without an entry
 */
export function spread(
  contents: readonly ContentKey[],
  spots: readonly ContentSpot[],
  isUsable: (spot: { packId: string }) => boolean,
): { packed: Map<string, Int32Array>; unpacked: ContentSpot[] } {
  const known = new Map(spots.map((spot) => [spot.key, spot]));
  const positions = new Map<string, number[]>();
  const unpacked: ContentSpot[] = [];
  for (const key of contents) {
    const spot = known.get(key) ?? { key, packId: null, position: null, problem: null };
    const { packId, position } = spot;
    if (packId === null || position === null || !isUsable({ packId })) {
      unpacked.push(spot);
      continue;
    }
    const list = positions.get(packId);
    if (list === undefined) positions.set(packId, [position]);
    else list.push(position);
  }
  return {
    packed: new Map([...positions].map(([id, list]) => [id, Int32Array.from(list).sort()])),
    unpacked,
  };
}

function candidatesOf({ rows, rowBytes, frames }: PackRow): Int32Array | null {
  return rows === null ? null : Int32Array.from(candidateFrames(rows, rowBytes, frames));
}
