import type { EndpointName, Input } from "@web-tester/contracts/api";
import type { Queryable } from "@web-tester/platform/database/database";
import { isPairOfRun, isSideOfRun } from "@web-tester/records/shares/shares";
import type { Capability } from "../http/actor.js";

type Rule<N extends EndpointName> = (share: Capability, input: Input<N>, db: Queryable) => boolean | Promise<boolean>;

interface PairQuery {
  a?: string | undefined;
  b?: string | undefined;
  instance1?: string | undefined;
  instance2?: string | undefined;
  snapshot1?: string | undefined;
  snapshot2?: string | undefined;
}

/**
 * Whether a link opens a comparison. Only `a` and `b`, as the link's screen sends them, can name its snapshots; the other parameters
 * open nothing.
 */
function opensPair(share: Capability, { query }: { query: PairQuery }, db: Queryable): boolean | Promise<boolean> {
  const { a, b, instance1, instance2, snapshot1, snapshot2 } = query;
  const others = [instance1, instance2, snapshot1, snapshot2];
  if (a === undefined || b === undefined || others.some((each) => each !== undefined)) return false;
  if (share.kind === "difference") return a === share.snapshotId && b === share.otherId;
  return share.kind === "review" && share.runId !== null && isId(a) && isId(b) && isPairOfRun(db, share.runId, a, b);
}

function opensSnapshot(
  share: Capability,
  { params }: { params: { id: string } },
  db: Queryable,
): boolean | Promise<boolean> {
  const { kind, snapshotId, otherId, runId } = share;
  if (kind === "snapshot") return params.id === snapshotId;
  if (kind === "difference") return params.id === snapshotId || params.id === otherId;
  return runId !== null && isSideOfRun(db, runId, params.id);
}

const opensRun = (share: Capability, { params }: { params: { id: string } }): boolean =>
  share.kind === "review" && params.id === share.runId;

const isId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/**
 * Which calls a share link opens; calls that are not listed are refused. Files, pictures and rendered pages need no entry: the answers
 * of the listed calls name them by addresses signed for the link.
 */
export const shareRules: { readonly [N in EndpointName]?: Rule<N> } = {
  getShared: () => true,
  getTestSnapshot: opensSnapshot,
  getSnapshotLines: opensSnapshot,
  getDiff: opensPair,
  getDiffHunks: opensPair,
  getDiffBeside: opensPair,
  getFileDiff: opensPair,
  getVisualDiff: opensPair,
  getVisualText: opensPair,
  getVisualPictures: opensPair,
  getReview: opensRun,
  listReviewPages: opensRun,
};

/** Whether a link opens a call with this input. */
export async function opens<N extends EndpointName>(
  share: Capability,
  name: N,
  input: Input<N>,
  db: Queryable,
): Promise<boolean> {
  const rule: Rule<N> | undefined = shareRules[name];
  return rule !== undefined && (await rule(share, input, db));
}
