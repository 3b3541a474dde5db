import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { wasCancelled } from "../../api/live/cancelled.js";
import { useLiveObjects } from "../../api/live/use-live.js";
import { keys } from "../../api/keys.js";
import { toast } from "../../ui/toasts/toasts.js";
import { newsOf, nothingTold } from "./run-news.js";

/** Keeps the screens of one test object, and of the instance `instanceId` if given, up to date, and announces what happened in toasts. */
export function useLivePage(objectId: string | undefined, instanceId?: string): void {
  const client = useQueryClient();
  const told = useRef(nothingTold());
  useLiveObjects(objectId === undefined || objectId === "" ? [] : [objectId], (events, _, before) => {
    for (const { type, message, link } of newsOf(before?.progress, events, wasCancelled, told.current))
      toast(type, message, link);
    if (instanceId === undefined) return;
    const concerns = events.some(
      (event) =>
        ("testinstanceId" in event && event.testinstanceId === instanceId) ||
        (event.type === "snapshot:changed" && event.changes.some((change) => change.testinstanceId === instanceId)) ||
        (event.type === "fetch:progress" && !event.running) ||
        event.type === "deleteAll:completed",
    );
    if (concerns) void client.invalidateQueries({ queryKey: keys.instance(instanceId) });
  });
}
