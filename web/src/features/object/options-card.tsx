import { Button } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { memo, useState } from "react";
import { ApiError } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { mergeRead } from "../../api/live/progress.js";
import { Needs } from "../../ui/access/needs.js";
import { counted } from "../../ui/format/words.js";
import { FoldCard } from "../../ui/layout/fold-card.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { AuthFields } from "./auth-fields.js";
import { ExcludePreview } from "./exclude-preview.js";
import { RetentionFields } from "./retention-fields.js";
import { HeaderFields } from "./header-fields.js";
import { LoginFields } from "./login-fields.js";
import {
  changedLabels,
  changesProtection,
  type Options,
  optionsOf,
  optionsPatch,
  optionsSummary,
  sameOptions,
} from "./options.js";
import { SettingFields } from "./setting-fields.js";
import classes from "./rail.module.css";

/** What the crawl leaves out and how the site lets us in; folded until needed. */
export const OptionsCard = memo(function OptionsCard({ object }: { object: TestObject }) {
  return (
    <FoldCard title={t("Options")} note={(opened) => (opened ? "" : optionsSummary(object))}>
      <OptionsForm object={object} />
    </FoldCard>
  );
});

/** The specification's words where the site's protection was saved; else what was. */
function savedWords(options: Options, stored: Options): string {
  const names = changedLabels(options, stored);
  if (names.length === 0 || changesProtection(options, stored)) return t("Directory protection saved");
  const [first = "", ...others] = names;
  return others.length === 0
    ? t("Saved: {first}", { first })
    : t("Saved: {first} and {others}", { first, others: counted(others.length, "other option") });
}

function OptionsForm({ object }: { object: TestObject }) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Options>();
  const [error, setError] = useState<string>();
  const stored = optionsOf(object);
  const options = draft ?? stored;
  const changed = !sameOptions(options, stored);
  const set = (part: Partial<Options>) => setDraft({ ...options, ...part });

  const save = useMutation({
    mutationFn: () => call("updateTestObject", { params: { id: object.id }, body: optionsPatch(options, object) }),
    onSuccess: (saved) => {
      client.setQueryData<TestObject | null>(keys.testObject(object.id), (known) =>
        mergeRead(known ?? undefined, saved),
      );
      setDraft(undefined);
      setError(undefined);
      toast("success", savedWords(options, stored));
    },
    onError: (failure) => {
      setError(failure instanceof ApiError ? failure.reason : undefined);
      toast("error", t("Failed to save directory protection"));
    },
  });

  return (
    <form
      className={classes["options"]}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <SettingFields group="exclude" rows={3} options={options} set={set} />
      <ExcludePreview
        objectId={object.id}
        patterns={options.exclude_list}
        changed={options.exclude_list !== stored.exclude_list}
      />
      <fieldset className={classes["auth"]}>
        <legend className={classes["legend"]}>{t("Crawl")}</legend>
        <div className={classes["stack"]}>
          <SettingFields group="crawl" options={options} set={set} />
        </div>
      </fieldset>
      <SettingFields group="assets" options={options} set={set} />
      <RetentionFields options={options} set={set} removed={object.removed} waitsUntil={object.retention_waits_until} />
      <fieldset className={classes["auth"]}>
        <legend className={classes["legend"]}>{t("Load pages")}</legend>
        <div className={classes["stack"]}>
          <SettingFields group="load" options={options} set={set} />
        </div>
      </fieldset>
      <fieldset className={classes["auth"]}>
        <legend className={classes["legend"]}>{t("Visit pages as")}</legend>
        <div className={classes["stack"]}>
          <SettingFields group="visit" options={options} set={set} />
          <HeaderFields
            key={object.request_header_names.join()}
            options={options}
            set={set}
            stored={object.request_header_names}
          />
        </div>
      </fieldset>
      <AuthFields
        options={options}
        set={set}
        keepsSecret={object.auth_password_set && options.auth_type === object.auth_type}
      />
      <LoginFields objectId={object.id} siteUrl={object.url} options={options} set={set} changed={changed} />
      <SettingFields group="compare" options={options} set={set} />
      <SettingFields group="watch" options={options} set={set} />
      {error !== undefined && (
        <p className={classes["formError"]} role="alert">
          {error}
        </p>
      )}
      <div className={classes["ends"]}>
        <span className="label">{changed ? t("Unsaved changes") : ""}</span>
        <Needs call="updateTestObject">
          <Button type="submit" disabled={!changed || save.isPending}>
            {t("Save")}
          </Button>
        </Needs>
      </div>
    </form>
  );
}
