import type { AppliedRule, RulePreviewPart } from "@web-tester/contracts/entities/rule";
import { questions } from "@web-tester/contracts/messages";
import type { Database } from "@web-tester/platform/database/database";
import { changesOfObject, type EvaluatedChange } from "@web-tester/records/changes/evaluate-changes";
import { hunksOf } from "@web-tester/records/changes/select-hunks";
import { rulesInForce } from "@web-tester/records/rules/ignore-rules";
import { newestFetch } from "@web-tester/records/runs/newest-fetch";
import { readQuestion } from "@web-tester/worker/read-question";
import type { Comparer } from "../steps/comparer.js";
import { evaluateChanges } from "../steps/evaluate-changes.js";

/** The time after which an answer ends: a person waits for the first one, and the rest comes with further questions. */
const answerMs = 500;
const changesAtOnce = 25;
const groupsMax = 50;
const last = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Handler of the question `previewRule`: what one more rule would do to the changes that count now, the newest first. */
export function createAnswerPreview(db: Database, comparer: Comparer): (request: unknown) => Promise<RulePreviewPart> {
  return async (request) => {
    const { objectId, rule, replaces, before, since } = readQuestion(questions.previewRule, request);
    const [inForce, newest] = await Promise.all([rulesInForce(db, [objectId]), newestFetch(db, objectId)]);
    const rules: AppliedRule[] = [...(inForce.get(objectId) ?? []).filter(({ id }) => id !== replaces), rule];
    const silenced: EvaluatedChange[] = [];
    const part: RulePreviewPart = {
      ...{ looked: 0, silenced: 0, looked_last_run: 0, silenced_last_run: 0 },
      ...{ hidden: [], not_applied: [], next_cursor: null },
    };
    const began = performance.now();
    for (let cursor = before ?? last; ;) {
      const changes = await changesOfObject(db, objectId, { before: cursor, from: since, limit: changesAtOnce });
      const oldest = changes.at(-1);
      if (oldest === undefined) break;
      const problems = { db, comparer, onGivenUp: () => undefined };
      const evaluated = await evaluateChanges(problems, changes, rules);
      const quiet = changes.filter((_, index) => evaluated[index]?.significant === false);
      const ofNewest = (of: readonly EvaluatedChange[]) => of.filter(({ runId }) => runId === newest).length;
      part.looked += changes.length;
      part.silenced += quiet.length;
      part.looked_last_run += ofNewest(changes);
      part.silenced_last_run += ofNewest(quiet);
      silenced.push(...quiet);
      cursor = oldest.id;
      if (changes.length < changesAtOnce) break;
      if (performance.now() - began > answerMs) {
        part.next_cursor = cursor;
        break;
      }
    }
    part.hidden = await groupsOf(db, objectId, silenced);
    return part;
  };
}

/** The changes that the rule would hide, equal ones as one group, the rarest first. */
async function groupsOf(
  db: Database,
  objectId: string,
  silenced: readonly EvaluatedChange[],
): Promise<RulePreviewPart["hidden"]> {
  const byId = new Map(silenced.map((change) => [change.id, change]));
  const groups = new Map<string, RulePreviewPart["hidden"][number]>();
  for (const { snapshotId, fingerprint, removed, added } of await hunksOf(db, objectId, [...byId.keys()])) {
    const change = byId.get(snapshotId);
    const known = groups.get(fingerprint);
    if (known !== undefined) known.count += 1;
    else if (change !== undefined)
      groups.set(fingerprint, {
        ...{ fingerprint, count: 1, removed, added },
        sample: {
          instance: { id: change.instanceId, name: change.name, url: change.url },
          snapshot_id: change.id,
          compared_with: change.previousId,
        },
      });
  }
  return [...groups.values()].toSorted((one, other) => one.count - other.count).slice(0, groupsMax);
}
