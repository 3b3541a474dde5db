import { Button, PasswordInput, SegmentedControl, Switch, Textarea, TextInput } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { memo, useState } from "react";
import { ApiError } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { mergeRead } from "../../api/live/progress.js";
import { FoldCard } from "../../ui/layout/fold-card.js";
import { toast } from "../../ui/toasts/toasts.js";
import { CrawlFields, ExcludePreview } from "./crawl-fields.js";
import { RetentionFields } from "./retention-fields.js";
import { type Options, optionsOf, optionsPatch, optionsSummary, sameOptions } from "./options.js";
import classes from "./rail.module.css";

/** What the crawl leaves out and how the site lets us in; folded until needed. */
export const OptionsCard = memo(function OptionsCard({ object }: { object: TestObject }) {
  return (
    <FoldCard title="Options" note={(opened) => (opened ? "" : optionsSummary(object))}>
      <OptionsForm object={object} />
    </FoldCard>
  );
});

const secretLabels = {
  basic: { user: "User name", secret: "Password" },
  bearer: { user: "", secret: "Token" },
  header: { user: "Header name", secret: "Header value" },
} as const;

const modeWords = {
  auto: "As served; in a browser where scripts draw the page.",
  http: "As served. No script runs.",
  browser: "In a browser, after scripts ran. Slower.",
} as const;

function OptionsForm({ object }: { object: TestObject }) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Options>();
  const [error, setError] = useState<string>();
  const stored = optionsOf(object);
  const options = draft ?? stored;
  const changed = !sameOptions(options, stored);
  const set = (part: Partial<Options>) => setDraft({ ...options, ...part });
  const labels = secretLabels[options.type];
  const keepsSecret = object.auth_password_set && options.type === object.auth_type;

  const save = useMutation({
    mutationFn: () => call("updateTestObject", { params: { id: object.id }, body: optionsPatch(options, object) }),
    onSuccess: (saved) => {
      client.setQueryData<TestObject | null>(keys.testObject(object.id), (known) =>
        mergeRead(known ?? undefined, saved),
      );
      setDraft(undefined);
      setError(undefined);
      toast("success", "Directory protection saved");
    },
    onError: (failure) => {
      setError(failure instanceof ApiError ? failure.reason : undefined);
      toast("error", "Failed to save directory protection");
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
      <Textarea
        label="Exclude URL patterns"
        description="One per line, matched against the path. * stands for anything."
        data-mono
        rows={3}
        autosize={false}
        resize="vertical"
        spellCheck={false}
        value={options.exclude}
        onChange={(event) => set({ exclude: event.currentTarget.value })}
      />
      <ExcludePreview objectId={object.id} patterns={options.exclude} changed={options.exclude !== stored.exclude} />
      <CrawlFields options={options} set={set} />
      <Switch
        size="xs"
        label="Keep assets"
        description="Pictures, styles and fonts are stored with each snapshot, so that it can be shown as it looked."
        checked={options.assets}
        onChange={(event) => set({ assets: event.currentTarget.checked })}
      />
      <RetentionFields options={options} set={set} removed={object.removed} waitsUntil={object.retention_waits_until} />
      <fieldset className={classes["auth"]}>
        <legend className={classes["legend"]}>Load pages</legend>
        <SegmentedControl
          fullWidth
          aria-label="How pages are loaded"
          value={options.fetchMode}
          onChange={(fetchMode) => set({ fetchMode })}
          data={[
            { value: "auto" as const, label: "Auto" },
            { value: "http" as const, label: "HTTP" },
            { value: "browser" as const, label: "Browser" },
          ]}
        />
        <p className="label">{modeWords[options.fetchMode]}</p>
      </fieldset>
      <fieldset className={classes["auth"]}>
        <legend className={classes["legend"]}>Fetch authentication</legend>
        <div className={classes["authRow"]}>
          <Switch
            size="xs"
            label={options.enabled ? "On" : "Off"}
            aria-label="Fetch authentication"
            checked={options.enabled}
            onChange={(event) => set({ enabled: event.currentTarget.checked })}
          />
          <SegmentedControl
            aria-label="Kind of authentication"
            disabled={!options.enabled}
            value={options.type}
            onChange={(type) => set({ type, secret: "" })}
            data={[
              { value: "basic" as const, label: "Basic" },
              { value: "bearer" as const, label: "Bearer" },
              { value: "header" as const, label: "Header" },
            ]}
          />
        </div>
        {options.enabled && (
          <div className={classes["secrets"]} data-single={options.type === "bearer" || undefined}>
            {options.type !== "bearer" && (
              <TextInput
                aria-label={labels.user}
                placeholder={labels.user}
                autoComplete="off"
                value={options.user}
                onChange={(event) => set({ user: event.currentTarget.value })}
              />
            )}
            <PasswordInput
              aria-label={labels.secret}
              placeholder={keepsSecret ? "Stored, type to replace" : labels.secret}
              autoComplete="new-password"
              value={options.secret}
              onChange={(event) => set({ secret: event.currentTarget.value })}
            />
          </div>
        )}
      </fieldset>
      {error !== undefined && (
        <p className={classes["formError"]} role="alert">
          {error}
        </p>
      )}
      <div className={classes["ends"]}>
        <span className="label">{changed ? "Unsaved changes" : ""}</span>
        <Button type="submit" disabled={!changed || save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
