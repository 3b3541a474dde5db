import "@mantine/core/styles/Pill.layer.css";
import "@mantine/core/styles/PillsInput.layer.css";
import { Button, Select, TagsInput, Textarea, TextInput } from "@mantine/core";
import { type Channel, channelKind, type ChannelKind } from "@web-tester/contracts/entities/notifications";
import { useState } from "react";
import { call } from "../../api/client.js";
import { editedFields } from "../../api/edited-fields.js";
import { useSaving } from "../../api/use-saving.js";
import { type Label, t } from "../../texts/text.js";
import { kindWords } from "./words.js";
import formClasses from "../../ui/layout/form.module.css";

interface Props {
  /** The channel that is edited; missing for a new one. */
  channel?: Channel | undefined;
  /** @param secret the signing secret that was made, to be shown once */
  onSaved: (secret: string | null) => Promise<unknown>;
  onCancel: () => void;
}

const urlHints: Readonly<Partial<Record<ChannelKind, Label>>> = {
  webhook: "Requests are signed following Standard Webhooks",
  slack: "The address of an incoming webhook",
  discord: "The address of the channel's webhook",
  teams: "The address of a workflow that posts what it receives",
  mattermost: "The address of an incoming webhook",
  ntfy: "Server and topic: https://ntfy.sh/my-topic",
  telegram: "Leave empty for api.telegram.org",
  template: "The address to send the request to",
};
const secretLabels: Readonly<Partial<Record<ChannelKind, Label>>> = {
  webhook: "Signing secret",
  template: "Signing secret",
  ntfy: "Access token",
  telegram: "Bot token",
};

const emptyTemplate = '{"text": "{{sentence}} {{link}}"}';

function fieldsOf(channel: Channel | undefined) {
  return {
    name: channel?.name ?? "",
    to: channel?.to ?? [],
    chat: channel?.chat ?? "",
    template: channel?.template ?? emptyTemplate,
    url: "",
    secret: "",
  };
}
type Fields = ReturnType<typeof fieldsOf>;

/** The request's body: address and secret only where they were entered. */
function bodyOf(kind: ChannelKind, { url, secret, template, ...rest }: Fields) {
  return {
    ...rest,
    name: rest.name || t(kindWords[kind]),
    ...(kind === "template" ? { template } : {}),
    ...(url === "" ? {} : { url }),
    ...(secret === "" ? {} : { secret }),
  };
}

/**
 * Saves the channel.
 * @returns the signing secret that was made, if any
 */
async function saveChannel(channel: Channel | undefined, kind: ChannelKind, fields: Fields): Promise<string | null> {
  const body = bodyOf(kind, fields);
  if (channel === undefined) return (await call("createChannel", { body: { kind, ...body } })).secret;
  const shown = bodyOf(kind, fieldsOf(channel));
  await call("updateChannel", { params: { id: channel.id }, body: editedFields(shown, body) });
  return null;
}

/** A form for where messages go. Address and secret are stored encrypted and never shown again. */
export function ChannelForm({ channel, onSaved, onCancel }: Props) {
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? "email");
  const [fields, setFields] = useState(() => fieldsOf(channel));
  const { problem, isSaving, save } = useSaving();
  const change = (some: Partial<typeof fields>) => setFields((now) => ({ ...now, ...some }));
  return (
    <form
      className={formClasses["fields"]}
      onSubmit={(event) => {
        event.preventDefault();
        void save(async () => onSaved(await saveChannel(channel, kind, fields)));
      }}
    >
      <Select
        label={t("Kind")}
        allowDeselect={false}
        disabled={channel !== undefined}
        data-autofocus={channel === undefined || undefined}
        value={kind}
        data={channelKind.options.map((value) => ({ value, label: t(kindWords[value]) }))}
        onChange={(value) => setKind(channelKind.parse(value))}
      />
      <ChannelFields kind={kind} channel={channel} fields={fields} onChange={change} />
      {problem !== undefined && (
        <p role="alert" data-tone="failed">
          {problem}
        </p>
      )}
      <div className={formClasses["ends"]}>
        <Button variant="default" onClick={onCancel}>
          {t("Cancel")}
        </Button>
        <Button type="submit" loading={isSaving}>
          {channel === undefined ? t("Add") : t("Save")}
        </Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  kind: ChannelKind;
  channel: Channel | undefined;
  fields: Fields;
  onChange(some: Partial<Fields>): void;
}

function ChannelFields({ kind, channel, fields, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label={t("Name")}
        data-autofocus={channel === undefined ? undefined : true}
        placeholder={t(kindWords[kind])}
        value={fields.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      {kind === "email" ? (
        <TagsInput
          label={t("To")}
          description={t("Press Enter or comma after each address")}
          value={fields.to}
          onChange={(to) => onChange({ to })}
          acceptValueOnBlur
        />
      ) : (
        <AddressField kind={kind} channel={channel} fields={fields} onChange={onChange} />
      )}
      {kind === "telegram" && (
        <TextInput
          label={t("Chat")}
          description={t("The chat's ID, or @name of a channel")}
          value={fields.chat}
          onChange={(event) => onChange({ chat: event.currentTarget.value })}
        />
      )}
      {kind === "template" && <TemplateField value={fields.template} onChange={(template) => onChange({ template })} />}
      <SecretField kind={kind} channel={channel} fields={fields} onChange={onChange} />
    </>
  );
}

function TemplateField({ value, onChange }: { value: string; onChange: (template: string) => void }) {
  return (
    <Textarea
      label={t("Body")}
      description="{{sentence}}, {{object}}, {{link}}, {{changed}}, {{new}}, {{gone}}, {{failing}}, {{text}}"
      autosize
      minRows={3}
      maxRows={12}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function AddressField({ kind, channel, fields, onChange }: FieldsProps) {
  const urlHint = urlHints[kind];
  const kept = channel === undefined ? "" : t("Leave empty to keep it.");
  return (
    <TextInput
      label={t("Address")}
      description={`${urlHint === undefined ? "" : t(urlHint)}.${kept === "" ? "" : ` ${kept}`} ${t("Stored encrypted, never shown again")}`}
      value={fields.url}
      placeholder={channel?.host ?? "https://"}
      onChange={(event) => onChange({ url: event.currentTarget.value })}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

function SecretField({ kind, channel, fields, onChange }: FieldsProps) {
  const label = secretLabels[kind];
  if (label === undefined) return null;
  const kept = channel === undefined ? "" : t("Leave empty to keep it.");
  return (
    <TextInput
      type="password"
      label={t(label)}
      description={
        kind === "webhook" && channel === undefined
          ? t("Leave empty to generate one")
          : kept || t("If the receiver requires one")
      }
      value={fields.secret}
      onChange={(event) => onChange({ secret: event.currentTarget.value })}
      autoComplete="new-password"
    />
  );
}
