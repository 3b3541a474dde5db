import { Button, Modal, TextInput } from "@mantine/core";
import type { Run } from "@web-tester/contracts/entities/run";
import { limits } from "@web-tester/contracts/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import classes from "./review.module.css";

/** A dialog that sets or removes the label of a fetch, by which it is found when sites are compared. */
export function LabelDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const [label, setLabel] = useState(run.label ?? "");
  const save = useLabelling(run, onClose);
  return (
    <Modal opened onClose={onClose} title={t("Label of this fetch")}>
      <form
        className={classes["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(label.trim());
        }}
      >
        <TextInput
          label={t("Label")}
          description={t(
            "Such as “release 1.4” or “before deploy”. Retention keeps the snapshots of labelled fetches; leave it empty to remove the label.",
          )}
          maxLength={limits.runLabelMaxChars}
          value={label}
          data-autofocus
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <div className={classes["acts"]}>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t("Save")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** Saves a label, or removes it. */
function useLabelling(run: Run, onSaved: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (label: string) =>
      call("updateRun", { params: { id: run.id }, body: { label: label === "" ? null : label } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.review(run.id) });
      void client.invalidateQueries({ queryKey: keys.runs(run.testobject_id) });
      onSaved();
    },
    onError: (error) => toast("error", messageOf(error)),
  });
}
