import type { RunReview, Verdict } from "@web-tester/contracts/entities/review";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { refresh } from "../../api/live/use-live.js";
import { toast } from "../../ui/toasts/toasts.js";

/** What a verdict is of. */
export type Target = { fingerprint: string } | { instance_id: string } | { all: true };

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
      setPast([...past, of]);
      reload(left);
    },
    onError: (error) => toast("error", messageOf(error)),
  });
  const back = useMutation({
    mutationFn: (of: Target) => call("takeVerdictBack", { params: { id: runId }, body: of }),
    onSuccess: (left, of) => {
      setPast(past.filter((each) => each !== of));
      reload(left);
    },
    onError: (error) => toast("error", messageOf(error)),
  });
  const last = past.at(-1);
  return { give: give.mutate, takeBack: back.mutate, undo: last === undefined ? undefined : () => back.mutate(last) };
}
