import type { Removal } from "@web-tester/contracts/entities/removal";
import type { QueryClient } from "@tanstack/react-query";
import { t } from "../texts/text.js";
import { messageOf } from "./api-error.js";
import { call } from "./client.js";
import { refresh } from "./live/use-live.js";
import { configQuery } from "./queries.js";

/** Makes the query of a deletion: how long it can be undone, as the server is configured; 0 where that is not known. */
export async function undoQuery(client: QueryClient): Promise<{ undo_s?: number }> {
  const { undo_s } = await client.ensureQueryData(configQuery()).catch(() => ({ undo_s: 0 }));
  return undo_s > 0 ? { undo_s } : {};
}

/**
 * Undoes a deletion.
 * @param tell is called with the result
 */
export async function takeBack(
  client: QueryClient,
  removal: Removal,
  tell: (type: "info" | "error", message: string) => void,
): Promise<void> {
  try {
    await call("undoRemoval", { params: { id: removal.id } });
    tell("info", t("Deletion undone"));
  } catch (error) {
    tell("error", messageOf(error));
  } finally {
    refresh(client, removal.testobject_id);
  }
}

/** How long a deletion can still be undone, by this machine's clock, but never longer than the server allows. */
export const leftMs = ({ due_at }: Removal, now: number, mostSeconds = 300): number =>
  Math.max(0, Math.min(mostSeconds * 1_000, new Date(due_at).getTime() - now));
