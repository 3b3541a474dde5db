import type { RuleInput, RulePatch } from "@web-tester/contracts/entities/rule";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { refresh } from "../../api/live/use-live.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";

/** The actions on the rules of an object; each says that earlier snapshots are evaluated again. */
export function useRules(objectId: string) {
  const client = useQueryClient();
  const reload = (runId: string | null, words: string) => {
    toast("success", runId === null ? words : t("{words} The history is being re-evaluated.", { words }));
    void client.invalidateQueries({ queryKey: keys.rules(objectId) });
    void client.invalidateQueries({ queryKey: ["diff"] });
    void client.invalidateQueries({ queryKey: ["review"] });
    refresh(client, objectId);
  };
  return {
    async create(rule: RuleInput) {
      const made = await call("createRule", { params: { id: objectId }, body: rule });
      reload(made.runId, t("Ignored from now on."));
    },
    async update(id: string, rule: RulePatch) {
      const { runId } = await call("updateRule", { params: { id }, body: rule });
      reload(runId, t("Saved."));
    },
    async remove(id: string) {
      const { runId } = await call("deleteRule", { params: { id } });
      reload(runId, t("Rule deleted. What it ignored counts again."));
    },
  };
}
