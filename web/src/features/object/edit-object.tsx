import { Button, Modal, TextInput } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { isVisible } from "@web-tester/contracts/visible-text";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { EditConflicts } from "./edit-conflicts.js";
import { cacheObject, useCheckedDraft } from "./use-checked-draft.js";
import classes from "./rail.module.css";

/** A dialog that edits an object's name, and the address where its crawls begin. */
export function EditObject({ object, onClose }: { object: TestObject; onClose: () => void }) {
  const [problem, setProblem] = useState<string>();
  const { values, edit, conflicts, check } = useCheckedDraft(object, namesOf);
  const save = useSaving(object.id, check, onClose, setProblem);
  return (
    <Modal opened onClose={onClose} title={t("Name and address")}>
      <form
        className={classes["stack"]}
        onSubmit={(event) => {
          event.preventDefault();
          setProblem(undefined);
          save.mutate();
        }}
      >
        <TextInput
          label={t("Name")}
          maxLength={200}
          value={values.name}
          data-autofocus
          onChange={(event) => edit({ name: event.currentTarget.value })}
        />
        <UrlInput value={values.url} onChange={(url) => edit({ url })} />
        <EditConflicts {...conflicts} />
        {problem !== undefined && (
          <p role="alert" data-tone="failed">
            {problem}
          </p>
        )}
        <div className={classes["ends"]}>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={!isVisible(values.name) || values.url.trim() === "" || conflicts.names.length > 0}
          >
            {t("Save")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

const namesOf = ({ name, url }: TestObject) => ({ name, url });
type Names = ReturnType<typeof namesOf>;

function UrlInput({ value, onChange }: { value: string; onChange: (url: string) => void }) {
  return (
    <TextInput
      label={t("URL")}
      description={t(
        "From the next crawl on, crawls start here, and this defines their scope. Existing pages stay, with their history. For another host, enter the password, request headers and login again.",
      )}
      inputMode="url"
      data-mono
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** @param check reads what is stored now; undefined where that is in conflict with what was edited */
function useSaving(
  id: string,
  check: () => Promise<{ fresh: TestObject; before: Names; values: Names } | undefined>,
  onSaved: () => void,
  onProblem: (words: string) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const checked = await check();
      if (checked === undefined) return undefined;
      const { before, values } = checked;
      const [name, url] = [values.name.trim(), values.url.trim()];
      // what was not edited is left out, so that it undoes nothing that is saved elsewhere right now
      const body = { ...(name === before.name ? {} : { name }), ...(url === before.url ? {} : { url }) };
      if (Object.keys(body).length === 0) return checked.fresh;
      return call("updateTestObject", { params: { id }, body });
    },
    onSuccess: (saved) => {
      if (saved === undefined) return;
      cacheObject(client, saved);
      void client.invalidateQueries({ queryKey: keys.testObjects });
      toast("success", t("Saved."));
      onSaved();
    },
    onError: (error) => onProblem(messageOf(error)),
  });
}
