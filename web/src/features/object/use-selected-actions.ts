import type { InstanceSelection } from "@web-tester/contracts/entities/removal";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { refresh } from "../../api/live/use-live.js";
import { leftMs, takeBack, undoQuery } from "../../api/undo.js";
import { t } from "../../texts/text.js";
import { toast } from "../../ui/toasts/toasts.js";

/**
 * The actions on the selected pages of an object.
 * @param onDone is called when an action was accepted
 */
export function useSelectedActions(object: TestObject, meant: InstanceSelection, onDone: () => void) {
  const client = useQueryClient();
  const done = () => {
    onDone();
    refresh(client, object.id);
  };

  const fetch = useFetching(object.id, meant, done);
  const removed = useRemoving(object.id, meant);

  const remove = useMutation({
    mutationFn: () => removed(),
    onSuccess: done,
    onError: (error) => toast("error", messageOf(error)),
  });

  const ignore = useMutation({
    mutationFn: async (patterns: readonly string[]) => removed(await exclude(object.id, patterns)),
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

/** Changes the exclude patterns as they are now on the server, since somebody else may have changed them after they were loaded here. */
async function changeExcludes(id: string, change: (now: readonly string[]) => string[]): Promise<void> {
  const params = { id };
  const object = await call("getTestObject", { params });
  if (Array.isArray(object)) return;
  await call("updateTestObject", { params, body: { exclude_list: change(object.exclude_list) } });
}

/**
 * Adds exclude patterns.
 * @returns those that are new
 */
async function exclude(id: string, patterns: readonly string[]): Promise<string[]> {
  let added: string[] = [];
  await changeExcludes(id, (now) => {
    added = [...new Set(patterns)].filter((pattern) => !now.includes(pattern));
    return [...now, ...added];
  });
  return added;
}

/**
 * Deletes the selected pages, with an undo.
 * @param excluded exclude patterns that were added for them, and that the undo removes again
 */
function useRemoving(objectId: string, meant: InstanceSelection) {
  const client = useQueryClient();
  const params = { id: objectId };
  return async (excluded: readonly string[] = []) => {
    const { removal } = await call("deleteSelected", { params, query: await undoQuery(client), body: meant });
    if (removal === null) return;
    const words = t("Deleted {done} instance(s).", { done: String(removal.total) });
    const left = leftMs(removal, Date.now());
    if (left === 0) {
      toast("success", words);
      return;
    }
    const act = async () => {
      if (excluded.length > 0)
        await changeExcludes(objectId, (now) => now.filter((pattern) => !excluded.includes(pattern)));
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
