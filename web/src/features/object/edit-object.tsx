import { Button, Modal, TextInput } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { isVisible } from "@web-tester/contracts/visible-text";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { mergeRead } from "../../api/live/progress.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import classes from "./rail.module.css";

/** A dialog that edits an object's name, and the address where its crawls begin. */
export function EditObject({ object, onClose }: { object: TestObject; onClose: () => void }) {
  const [name, setName] = useState(object.name);
  const [url, setUrl] = useState(object.url);
  const [problem, setProblem] = useState<string>();
  const save = useSaving(object, onClose, setProblem);
  return (
    <Modal opened onClose={onClose} title={t("Name and address")}>
      <form
        className={classes["stack"]}
        onSubmit={(event) => {
          event.preventDefault();
          setProblem(undefined);
          save.mutate({ name: name.trim(), ...(url.trim() === object.url ? {} : { url: url.trim() }) });
        }}
      >
        <TextInput
          label={t("Name")}
          maxLength={200}
          value={name}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <UrlInput value={url} onChange={setUrl} />
        {problem !== undefined && (
          <p role="alert" data-tone="failed">
            {problem}
          </p>
        )}
        <div className={classes["ends"]}>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!isVisible(name) || url.trim() === ""}>
            {t("Save")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

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

function useSaving(object: TestObject, onSaved: () => void, onProblem: (words: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; url?: string }) => call("updateTestObject", { params: { id: object.id }, body }),
    onSuccess: (saved) => {
      client.setQueryData<TestObject | null>(keys.testObject(object.id), (known) =>
        mergeRead(known ?? undefined, saved),
      );
      void client.invalidateQueries({ queryKey: keys.testObjects });
      toast("success", t("Saved."));
      onSaved();
    },
    onError: (error) => onProblem(messageOf(error)),
  });
}
