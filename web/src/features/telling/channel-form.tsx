import "@mantine/core/styles/Pill.layer.css";
import "@mantine/core/styles/PillsInput.layer.css";
import { Button, Select, TagsInput, Textarea, TextInput } from "@mantine/core";
import { type Channel, channelKind, type ChannelKind } from "@web-tester/contracts/entities/telling";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { type Label, t } from "../../texts/text.js";
import { kindWords } from "./words.js";
import classes from "./telling.module.css";

interface Props {
  /** The channel that is changed; a new one where it is missing. */
  channel?: Channel | undefined;
  /** @param secret the signing secret that was made, to be shown once */
  onSaved: (secret: string | null) => Promise<unknown>;
  onCancel: () => void;
}

const urlHints: Readonly<Partial<Record<ChannelKind, Label>>> = {
  webhook: "Requests are signed as Standard Webhooks says",
  slack: "The address of an incoming webhook",
  discord: "The address of the channel's webhook",
  teams: "The address of a workflow that posts what it receives",
  mattermost: "The address of an incoming webhook",
  ntfy: "Server and topic: https://ntfy.sh/my-topic",
  telegram: "Empty for api.telegram.org",
  template: "Where the request goes",
};
const secretLabels: Readonly<Partial<Record<ChannelKind, Label>>> = {
  webhook: "Signing secret",
  template: "Signing secret",
  ntfy: "Access token",
  telegram: "Token of the bot",
};

/** Where messages go. Address and secret are kept encrypted and never shown again. */
export function ChannelForm({ channel, onSaved, onCancel }: Props) {
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? "email");
  const [fields, setFields] = useState({
    name: channel?.name ?? "",
    to: channel?.to ?? [],
    chat: channel?.chat ?? "",
    template: channel?.template ?? '{"text": "{{sentence}} {{link}}"}',
    url: "",
    secret: "",
  });
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const change = (some: Partial<typeof fields>) => setFields((now) => ({ ...now, ...some }));
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    const { url, secret, template, ...rest } = fields;
    const body = {
      ...rest,
      name: rest.name || t(kindWords[kind]),
      ...(kind === "template" ? { template } : {}),
      ...(url === "" ? {} : { url }),
      ...(secret === "" ? {} : { secret }),
    };
    try {
      const made =
        channel === undefined
          ? (await call("createChannel", { body: { kind, ...body } })).secret
          : (await call("updateChannel", { params: { id: channel.id }, body }), null);
      await onSaved(made);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setSaving(false);
  };
  const kept = channel === undefined ? "" : t("Empty: as it is.");
  const secretLabel = secretLabels[kind];
  const urlHint = urlHints[kind];
  return (
    <form
      className={classes["fields"]}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Select
        label={t("Kind")}
        allowDeselect={false}
        disabled={channel !== undefined}
        value={kind}
        data={channelKind.options.map((value) => ({ value, label: t(kindWords[value]) }))}
        onChange={(value) => setKind(channelKind.parse(value))}
      />
      <TextInput
        label={t("Name")}
        placeholder={t(kindWords[kind])}
        value={fields.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      {kind === "email" ? (
        <TagsInput
          label={t("To")}
          description={t("Addresses, each ended by Enter or a comma")}
          value={fields.to}
          onChange={(to) => change({ to })}
          acceptValueOnBlur
        />
      ) : (
        <TextInput
          label={t("Address")}
          description={`${urlHint === undefined ? "" : t(urlHint)}.${kept === "" ? "" : ` ${kept}`} ${t("Kept encrypted, never shown again")}`}
          value={fields.url}
          placeholder={channel?.host ?? "https://"}
          onChange={(event) => change({ url: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {kind === "telegram" && (
        <TextInput
          label={t("Chat")}
          description={t("Its number, or @name of a channel")}
          value={fields.chat}
          onChange={(event) => change({ chat: event.currentTarget.value })}
        />
      )}
      {kind === "template" && (
        <Textarea
          label={t("Body")}
          description="{{sentence}}, {{object}}, {{link}}, {{changed}}, {{new}}, {{gone}}, {{failing}}, {{text}}"
          autosize
          minRows={3}
          maxRows={12}
          value={fields.template}
          onChange={(event) => change({ template: event.currentTarget.value })}
        />
      )}
      {secretLabel !== undefined && (
        <TextInput
          type="password"
          label={t(secretLabel)}
          description={
            kind === "webhook" && channel === undefined ? t("Empty: one is made") : kept || t("Where it needs one")
          }
          value={fields.secret}
          onChange={(event) => change({ secret: event.currentTarget.value })}
          autoComplete="new-password"
        />
      )}
      {problem !== undefined && (
        <p role="alert" data-tone="failed">
          {problem}
        </p>
      )}
      <div className={classes["ends"]}>
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
