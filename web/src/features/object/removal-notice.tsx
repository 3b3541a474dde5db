import { Button } from "@mantine/core";
import type { Removal } from "@web-tester/contracts/entities/removal";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { refresh } from "../../api/live/use-live.js";
import { leftMs, takeBack } from "../../api/undo.js";
import { Needs } from "../../ui/access/needs.js";
import { InlineError } from "../../ui/feedback/states.js";
import { t } from "../../texts/text.js";
import { toast } from "../../ui/toasts/toasts.js";
import classes from "./object.module.css";

/** Says that a deletion is pending and how long it can still be undone, with a button for that. */
export function RemovalNotice({ removal, name }: { removal: Removal; name: string }) {
  const client = useQueryClient();
  const seconds = useSecondsLeft(removal);
  const undo = useMutation({
    mutationFn: () => takeBack(client, removal, toast),
    onSettled: () => refreshBelow(client),
  });
  const objectId = removal.testobject_id;
  useEffect(() => {
    // shortly after its time the deletion has begun, or is over
    if (seconds > 0) return undefined;
    const timer = window.setTimeout(() => {
      refresh(client, objectId);
      void refreshBelow(client);
    }, 1_500);
    return () => window.clearTimeout(timer);
  }, [client, objectId, seconds]);
  return (
    <div className={classes["notice"]}>
      <InlineError
        tone="changed"
        title={
          seconds > 0
            ? t("{what} in {n} s", { what: wordsOf(removal, name), n: seconds })
            : t("{what} now", { what: wordsOf(removal, name) })
        }
        detail={t("Nothing is lost until then.")}
        action={
          <Needs call="undoRemoval">
            <Button variant="default" disabled={seconds === 0} loading={undo.isPending} onClick={() => undo.mutate()}>
              {t("Undo")}
            </Button>
          </Needs>
        }
      />
    </div>
  );
}

/** Reloads the screens of pages, snapshots and reviews, which show the pending deletion too. */
const refreshBelow = (client: QueryClient) =>
  Promise.all(["instance", "snapshot", "review"].map((part) => client.invalidateQueries({ queryKey: [part] })));

function wordsOf({ kind, total }: Removal, name: string): string {
  switch (kind) {
    case "instances":
      return t("{n} page is deleted with its snapshots|{n} pages are deleted with their snapshots", { n: total });
    case "delete-instances":
      return t("All instances are deleted with their snapshots");
    case "delete-snapshots":
      return t("All snapshots are deleted");
    case "delete-object":
      return t("“{name}” is deleted", { name });
  }
}

function useSecondsLeft(removal: Removal): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000);
    return () => window.clearInterval(timer);
  }, []);
  return Math.ceil(leftMs(removal, now) / 1_000);
}
