import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { keys } from "../../api/keys.js";
import { toast } from "../../ui/toasts/toasts.js";

/** Performs actions on channels, routes or messages: says that it is done, or why not, and loads them again. */
export function useNotifications() {
  const client = useQueryClient();
  const done = async (work: Promise<unknown>, words: string) => {
    await work;
    toast("success", words);
    await client.invalidateQueries({ queryKey: keys.telling });
  };
  return {
    done,
    attempt: (work: Promise<unknown>, words: string) =>
      void done(work, words).catch((error: unknown) => toast("error", messageOf(error))),
  };
}
