import type { RunReview, Verdict } from "@web-tester/contracts/entities/review";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { refresh } from "../../api/live/use-live.js";
import { toast } from "../../ui/toasts/toasts.js";

/** What a verdict applies to. */
export type Target = { fingerprint: string } | { instance_id: string } | { all: true; given_at?: string };

/** Whether two targets are the same; verdicts on everything differ by their time. */
const isSame = (a: Target, b: Target) => JSON.stringify(a) === JSON.stringify(b);

/** Gives verdicts on changes, and undoes the last one. */
export function useVerdicts(runId: string, objectId: string | undefined) {
  const client = useQueryClient();
  const [past, setPast] = useState<readonly Target[]>([]);
  const reload = (left: { waiting: number }) => {
    client.setQueryData<RunReview>(keys.review(runId), (review) => review && { ...review, waiting: left.waiting });
    void client.invalidateQueries({ queryKey: keys.review(runId) });
    if (objectId !== undefined) refresh(client, objectId);
  };
  const give = useMutation({
    mutationFn: ({ of, verdict, note = "" }: { of: Target; verdict: Verdict; note?: string }) =>
      call("giveVerdict", { params: { id: runId }, body: { ...of, verdict, note } }),
    onSuccess: (left, { of }) => {
      // undoing a verdict on everything only affects what it decided, not earlier verdicts
      const act = "all" in of ? { ...of, given_at: left.given_at } : of;
      // replaces an earlier verdict on the same target
      setPast((acts) => [...acts.filter((each) => !isSame(each, act)), act]);
      reload(left);
    },
    onError: (error) => toast("error", messageOf(error)),
  });
  const back = useMutation({
    mutationFn: (of: Target) => call("takeVerdictBack", { params: { id: runId }, body: of }),
    onSuccess: (left, of) => {
      setPast((acts) => acts.filter((each) => !isSame(each, of)));
      reload(left);
    },
    onError: (error) => toast("error", messageOf(error)),
  });
  const last = past.at(-1);
  const isGiving = give.isPending;
  const isAcceptingAll = isGiving && "all" in give.variables.of;
  return {
    give: give.mutate,
    isGiving,
    isAcceptingAll,
    takeBack: back.mutate,
    undo: last === undefined ? undefined : () => back.mutate(last),
  };
}
