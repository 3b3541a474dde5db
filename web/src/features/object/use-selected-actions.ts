import type { InstanceSelection } from "@web-tester/contracts/entities/removal";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { refresh } from "../../api/live/use-live.js";
import { leftMs, takeBack, undoQuery } from "../../api/undo.js";
import { t } from "../../texts/text.js";
import { toast } from "../../ui/toasts/toasts.js";

/** What is done with the chosen pages of an object. @param onDone is called when it was accepted */
export function useSelectedActions(object: TestObject, meant: InstanceSelection, onDone: () => void) {
  const client = useQueryClient();
  const params = { id: object.id };
  const done = () => {
    onDone();
    refresh(client, object.id);
  };

  const fetch = useFetching(object.id, meant, done);
  const removed = useRemoving(object.id, meant);

  const remove = useMutation({
    mutationFn: () => removed(undefined),
    onSuccess: done,
    onError: (error) => toast("error", messageOf(error)),
  });

  const ignore = useMutation({
    mutationFn: async (patterns: readonly string[]) => {
      const before = object.exclude_list;
      const exclude_list = [...new Set([...before, ...patterns])];
      await call("updateTestObject", { params, body: { exclude_list } });
      await removed(before);
    },
    onSuccess: done,
    onError: (error) => toast("error", messageOf(error)),
  });

  return {
    busy: fetch.isPending || remove.isPending || ignore.isPending,
    fetch: () => fetch.mutate(),
    delete: () => remove.mutate(),
    ignore: (patterns: readonly string[]) => ignore.mutate(patterns),
  };
}

function useFetching(objectId: string, meant: InstanceSelection, onDone: () => void) {
  return useMutation({
    mutationFn: () => call("snapshotSelected", { params: { id: objectId }, body: meant }),
    onSuccess: ({ created }) => {
      toast("info", t("Fetching {created} snapshot(s)...", { created: String(created) }));
      onDone();
    },
    onError: (error) => toast("error", messageOf(error)),
  });
}

/** Deletes the chosen pages, with a way back. @param before the exclude patterns as they were, where they were changed too */
function useRemoving(objectId: string, meant: InstanceSelection) {
  const client = useQueryClient();
  const params = { id: objectId };
  return async (before: string[] | undefined) => {
    const { removal } = await call("deleteSelected", { params, query: await undoQuery(client), body: meant });
    if (removal === null) return;
    const words = t("Deleted {done} instance(s).", { done: String(removal.total) });
    const left = leftMs(removal, Date.now());
    if (left === 0) {
      toast("success", words);
      return;
    }
    const act = async () => {
      if (before !== undefined) await call("updateTestObject", { params, body: { exclude_list: before } });
      await takeBack(client, removal, toast);
    };
    toast("success", words, {
      id: removal.id,
      about: t("{n} page|{n} pages", { n: removal.total }),
      label: t("Undo"),
      durationMs: left,
      act: () => void act().catch((error: unknown) => toast("error", messageOf(error))),
    });
  };
}
