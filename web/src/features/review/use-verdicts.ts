import type { RunReview, Verdict } from "@web-tester/contracts/entities/review";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { refresh } from "../../api/live/use-live.js";
import { toast } from "../../ui/toasts/toasts.js";

/** What a verdict is of. */
export type Target = { fingerprint: string } | { instance_id: string } | { all: true; given_at?: string };

/** Whether two are the same; acts on all are apart by when they were. */
const isSame = (a: Target, b: Target) => JSON.stringify(a) === JSON.stringify(b);

/** Says what is to be thought of changes, and takes the last word back. */
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
      // of all, only what was open then: what somebody said before stays when that is taken back
      const act = "all" in of ? { ...of, given_at: left.given_at } : of;
      // what was said of the same before is no more
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
