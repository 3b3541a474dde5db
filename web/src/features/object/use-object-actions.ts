import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Progress, RunConflict } from "@web-tester/contracts/entities/run";
import type { Response } from "@web-tester/contracts/api";
import type { Removal } from "@web-tester/contracts/entities/removal";
import { limits } from "@web-tester/contracts/limits";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { causeOf, conflictOf, messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { noteCancelled } from "../../api/live/cancelled.js";
import { refresh, stopReading } from "../../api/live/use-live.js";
import { type BarName, newerProgress } from "../../api/live/progress.js";
import { t } from "../../texts/text.js";
import { leftMs, takeBack, undoQuery } from "../../api/undo.js";
import { toast, type ToastAct } from "../../ui/toasts/toasts.js";
import { barOfKind } from "./conflict-notice.js";

/** Shows a run that was just started at once, unless its events have already arrived. */
function open(
  client: QueryClient,
  id: string,
  bar: BarName,
  progress: Pick<Progress, "total" | "runId"> & Partial<Progress>,
): void {
  client.setQueryData<TestObject | null>(keys.testObject(id), (object) => {
    if (!object) return object;
    const next = newerProgress(object.progress[bar], {
      completed: 0,
      failed: 0,
      running: progress.total > 0,
      ...progress,
    });
    return { ...object, progress: { ...object.progress, [bar]: next } };
  });
}

/**
 * Hides the indicator of a single snapshot after 30 s without events (specification §4).
 * @param runId null where the answer to the start did not contain it: then whatever single snapshot is running
 */
function closeLater(client: QueryClient, id: string, runId: string | null): void {
  window.setTimeout(() => {
    client.setQueryData<TestObject | null>(keys.testObject(id), (object) => {
      const bar = object?.progress.snapshotAll;
      const isThis = bar !== undefined && bar.total <= 1 && (runId === null || bar.runId === runId);
      if (!object || !isThis || !bar.running || bar.completed > 0) return object;
      return { ...object, progress: { ...object.progress, snapshotAll: { ...bar, running: false } } };
    });
  }, limits.singleSnapshotTimeoutMs);
}

/** All actions of an object's page, with the messages of the specification (§8). */
export function useObjectActions(id: string) {
  const client = useQueryClient();
  const reload = () => refresh(client, id);
  const [conflict, setConflict] = useState<RunConflict>();
  /** Says that something was not started; where another run is in the way, shows that one. */
  const refused = (error: unknown, words: string) => {
    toast("error", words, { cause: causeOf(error) });
    const other = conflictOf(error);
    setConflict(other ?? undefined);
    if (other === null) return;
    const { kind, runId, total, completed } = other;
    open(client, id, barOfKind(kind), { runId, total: Math.max(1, total), completed });
    reload();
  };
  const ground: Ground = { id, client, reload, refused };
  const discovery = useDiscovery(ground);
  const fetchingMany = useFetchingMany(ground);
  const fetching = useFetching(ground);
  const bulkDeletion = useBulkDeletion(ground);
  const deletion = useDeletion(ground);

  const cancel = useCancelling(ground);

  return {
    ...discovery,
    ...fetchingMany,
    ...fetching,
    ...bulkDeletion,
    ...deletion,
    cancel,
    conflict,
    dismissConflict: () => setConflict(undefined),
  };
}

/** What the actions of an object depend on. */
interface Ground {
  id: string;
  client: QueryClient;
  reload: () => void;
  refused: (error: unknown, words: string) => void;
}

/** Stops a run. */
function useCancelling({ id, client, reload }: Ground) {
  return useMutation({
    mutationFn: (runId: string) => {
      noteCancelled(runId);
      return call("cancelRun", { params: { id: runId } });
    },
    onSuccess: () => {
      // the message has no numbers, because stopped pages count as completed too
      toast("info", t("Stopped. What is finished stays."));
      reload();
      void client.invalidateQueries({ queryKey: keys.runs(id) });
    },
    onError: (error) => toast("error", messageOf(error)),
  });
}

function useDiscovery({ id, client, refused }: Ground) {
  const params = { id };
  const crawl = useMutation({
    mutationFn: () => call("crawl", { params }),
    onMutate: () => toast("info", t("Starting crawl...")),
    onSuccess: (started) => open(client, id, "crawl", { total: Math.max(1, started.total), runId: started.runId }),
    onError: (error) => refused(error, t("Failed to start crawl")),
  });

  const sitemaps = useMutation({
    mutationFn: () => call("runSitemaps", { params }),
    onMutate: () => toast("info", t("Starting sitemap crawl...")),
    onSuccess: (started) => open(client, id, "sitemaps", { total: Math.max(1, started.total), runId: started.runId }),
    onError: (error) => refused(error, t("Failed to start sitemap crawl")),
  });

  return { crawl, sitemaps };
}

/** Fetches of all pages, and of those that a stopped fetch did not get to. */
function useFetchingMany({ id, client, reload, refused }: Ground) {
  const params = { id };
  const told = {
    onSuccess: ({ created, runId }: Response<"snapshotAll">) => {
      toast("info", t("Fetching {created} snapshot(s)...", { created: String(created) }));
      open(client, id, "snapshotAll", { total: created, runId });
      reload();
    },
    onError: (error: unknown) => refused(error, messageOf(error)),
  };
  const fetchAll = useMutation({ mutationFn: () => call("snapshotAll", { params }), ...told });
  const fetchRest = useMutation({
    mutationFn: (runId: string) => call("snapshotSelected", { params, body: { stopped_in: runId } }),
    ...told,
  });
  return { fetchAll, fetchRest };
}

function useFetching({ id, client, reload, refused }: Ground) {
  const params = { id };

  const fetchOne = useMutation({
    mutationFn: async (instanceId: string) => {
      const snapshot = await call("createTestSnapshot", { body: { testinstance_id: instanceId } });
      return call("fetchTestSnapshot", { params: { id: snapshot.id }, query: { action: "fetch" } });
    },
    onMutate: () => toast("info", t("Fetching snapshot...")),
    onSuccess: ({ runId }) => {
      open(client, id, "snapshotAll", { total: 1, runId });
      closeLater(client, id, runId);
      reload();
    },
    onError: (error) => refused(error, t("Failed to fetch snapshot for the selected instance")),
  });

  const fetchRoot = useMutation({
    mutationFn: () => call("snapshotOne", { params }),
    onMutate: () => toast("info", t("Fetching snapshot...")),
    onSuccess: () => {
      open(client, id, "snapshotAll", { total: 1, runId: null });
      closeLater(client, id, null);
      reload();
    },
    onError: (error) => refused(error, failedToCreate(error)),
  });

  return { fetchOne, fetchRoot };
}

/** Deletions that run in the background and show their progress. */
function useBulkDeletion({ id, client, reload, refused }: Ground) {
  const params = { id };
  /** One that can be undone is shown as pending by the object itself. */
  const begun = ({ runId, total, removal }: Response<"deleteAll">) =>
    removal === null ? open(client, id, "deletion", { runId, total }) : reload();
  const deleteInstances = useMutation({
    mutationFn: async () => call("deleteAll", { params, query: await undoQuery(client) }),
    onMutate: () => toast("info", t("Starting deletion...")),
    onSuccess: begun,
    onError: (error) => {
      refused(error, t("Failed to start deletion"));
      reload();
    },
  });

  const deleteSnapshots = useMutation({
    mutationFn: async () => call("deleteSnapshots", { params, query: await undoQuery(client) }),
    onMutate: () => toast("info", t("Starting snapshot-only deletion...")),
    onSuccess: begun,
    onError: (error) => {
      refused(error, t("Failed to start snapshot deletion"));
      reload();
    },
  });

  return { deleteInstances, deleteSnapshots };
}

/** Deletions that are finished when the call is answered. */
function useDeletion({ id, client, reload }: Ground) {
  const navigate = useNavigate();
  const deleteObject = useMutation({
    mutationFn: async () => {
      const query = await undoQuery(client);
      const readAgain = await stopReading(client, id);
      try {
        const answer = await call("deleteTestObject", { params: { id }, query });
        if (answer.removal !== null) readAgain();
        return answer;
      } catch (error) {
        readAgain();
        reload();
        throw error;
      }
    },
    onSuccess: ({ removal }) => {
      const name = client.getQueryData<TestObject | null>(keys.testObject(id))?.name ?? "";
      toast("success", t("Test object deleted successfully"), undoOf(client, removal, name));
      client.setQueryData<readonly TestObject[]>(keys.testObjects, (list) =>
        list?.filter((object) => object.id !== id),
      );
      void navigate("/");
    },
    onError: (error) => toast("error", t("Failed to delete test object"), { cause: causeOf(error) }),
  });

  const deleteInstance = useMutation({
    mutationFn: async (instance: { id: string; name: string; url: string }) =>
      call("deleteTestInstance", { params: { id: instance.id }, query: await undoQuery(client) }),
    onSuccess: ({ removal }, instance) => {
      toast("success", t("Instance deleted successfully"), undoOf(client, removal, instance.name || instance.url));
      reload();
    },
    onError: (error) => toast("error", t("Failed to delete instance"), { cause: causeOf(error) }),
  });

  return { deleteObject, deleteInstance };
}

export type ObjectActions = ReturnType<typeof useObjectActions>;

/** The undo button of a toast; undefined where the deletion was carried out at once. */
function undoOf(client: QueryClient, removal: Removal | null, about: string): ToastAct | undefined {
  if (removal === null) return undefined;
  const act = () => void takeBack(client, removal, toast);
  return { id: removal.id, about, label: t("Undo"), act, durationMs: leftMs(removal, Date.now()) };
}

function failedToCreate(error: unknown): string {
  const message = messageOf(error);
  return message.includes("Failed to") ? message : t("Failed to create snapshot: {message}", { message });
}
