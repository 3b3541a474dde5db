import type { TestInstance } from "@web-tester/contracts/entities/instance";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type NavigateFunction, useNavigate } from "react-router";
import { causeOf, messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { t } from "../../texts/text.js";
import { leftMs, takeBack, undoQuery } from "../../api/undo.js";
import { newSnapshot } from "../../api/new-snapshot.js";
import { toast } from "../../ui/toasts/toasts.js";

/** The actions of an instance's page, with the messages of the specification (§8). */
export function useInstanceActions(instance: TestInstance) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const reload = () => void client.invalidateQueries({ queryKey: keys.instance(instance.id) });

  const snapshot = useMutation({
    mutationFn: () => newSnapshot(client, instance.id),
    onSuccess: () => toast("info", t("Snapshot queued")),
    onError: (error) => {
      const message = messageOf(error);
      toast("error", message.includes("Failed to") ? message : t("Failed to create snapshot: {message}", { message }));
    },
    onSettled: reload,
  });

  const remove = useMutation({
    mutationFn: async () => call("deleteTestInstance", { params: { id: instance.id }, query: await undoQuery(client) }),
    onSuccess: ({ removal }) => {
      toast(
        "success",
        t("Instance deleted successfully"),
        removal === null
          ? undefined
          : {
              id: removal.id,
              about: instance.name || instance.url,
              label: t("Undo"),
              durationMs: leftMs(removal, Date.now()),
              act: () => void takeBack(client, removal, toast),
            },
      );
      void client.invalidateQueries({ queryKey: keys.instances(instance.testobject.id) });
      leave(navigate, instance.testobject.id);
    },
    onError: (error) => toast("error", t("Failed to delete instance"), { cause: causeOf(error) }),
  });

  return { snapshot, remove };
}

/** Goes back one page in the history (specification §4), or to the object where this page was opened directly. */
function leave(navigate: NavigateFunction, objectId: string): void {
  const state: unknown = window.history.state;
  const hasHistory =
    typeof state === "object" && state !== null && "idx" in state && typeof state.idx === "number" && state.idx > 0;
  void (hasHistory ? navigate(-1) : navigate(`/objects/${objectId}`));
}
