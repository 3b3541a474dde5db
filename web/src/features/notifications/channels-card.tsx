import { Button, Switch } from "@mantine/core";
import type { Channel } from "@web-tester/contracts/entities/notifications";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { useNotifications } from "./use-notifications.js";
import { kindWords } from "./words.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./notifications.module.css";

interface Props {
  channels: readonly Channel[];
  onEdit: (channel: Channel) => void;
  onRemove: (channel: Channel) => void;
}

/** Lists the channels, each with a button to test it. */
export function ChannelsCard({ channels, onEdit, onRemove }: Props) {
  return (
    <Card title={t("Channels")} aside={counted(channels.length, "channel")} flush>
      {channels.length === 0 && (
        <Empty title={t("No channels yet")}>
          {t("Nobody is notified yet. Add an e-mail address, chat or webhook, then choose what to send to it.")}
        </Empty>
      )}
      <ul className={rowClasses["list"]} aria-label={t("Channels")}>
        {channels.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} onEdit={onEdit} onRemove={onRemove} />
        ))}
      </ul>
    </Card>
  );
}

function ChannelRow({ channel, onEdit, onRemove }: Omit<Props, "channels"> & { channel: Channel }) {
  const { tried, isTrying, test } = useTest(channel.id);
  const { name, kind, enabled, host, to, fault } = channel;
  return (
    <li className={rowClasses["foldingRow"]} data-off={!enabled || undefined}>
      <div>
        <span className={rowClasses["title"]}>{name}</span>
        <div className="label">
          {t(kindWords[kind])}
          {kind === "email" ? `, ${t("to {addresses}", { addresses: to.join(", ") })}` : host !== null && `, ${host}`}
        </div>
        {fault !== null && <div data-tone="failed">{t("Switched off: {fault}", { fault })}</div>}
        {channel.failing !== null && <Failing {...channel.failing} />}
        {tried !== undefined && (
          <div role="status" data-tone={tried.ok ? "done" : "failed"} className={classes["code"]}>
            {tried.words}
          </div>
        )}
      </div>
      <Acts channel={channel} isTrying={isTrying} onTest={() => void test()} onEdit={onEdit} onRemove={onRemove} />
    </li>
  );
}

/** Says since when messages do not arrive, and why. */
function Failing({ since, status, answer }: NonNullable<Channel["failing"]>) {
  const reason = [status, answer].filter((part) => part !== null && part !== "").join(": ");
  return (
    <div data-tone="failed" className={classes["code"]}>
      {t("No messages have arrived since {at}: {reason}", { at: formatDate(since), reason })}
    </div>
  );
}

/** Sends a test message to a channel, and says whether it arrived. */
function useTest(id: string) {
  const [tried, setTried] = useState<{ ok: boolean; words: string }>();
  const [isTrying, setTrying] = useState(false);
  const test = async () => {
    setTrying(true);
    const result = await call("testChannel", { params: { id } }).then(
      ({ ok, status, answer }) => ({
        ok,
        words: `${ok ? t("It arrived") : t("It did not arrive")}${status === null ? "" : ` (${status})`}${answer === "" ? "" : `: ${answer}`}`,
      }),
      (error: unknown) => ({ ok: false, words: messageOf(error) }),
    );
    setTried(result);
    setTrying(false);
  };
  return { tried, isTrying, test };
}

interface ActsProps extends Omit<Props, "channels"> {
  channel: Channel;
  isTrying: boolean;
  onTest: () => void;
}

function Acts({ channel, isTrying, onTest, onEdit, onRemove }: ActsProps) {
  const { attempt } = useNotifications();
  const { id, name, enabled } = channel;
  return (
    <div className={rowClasses["acts"]}>
      <Needs call="updateChannel">
        <Switch
          size="xs"
          aria-label={t("On: {name}", { name })}
          checked={enabled}
          onChange={(event) => {
            const on = event.currentTarget.checked;
            attempt(
              call("updateChannel", { params: { id }, body: { enabled: on } }),
              on ? t("Notifications resumed.") : t("Switched off."),
            );
          }}
        />
      </Needs>
      <Needs call="testChannel">
        <Button size="xs" variant="default" loading={isTrying} onClick={onTest}>
          {t("Test")}
        </Button>
      </Needs>
      <Needs call="updateChannel">
        <Button size="xs" variant="default" onClick={() => onEdit(channel)}>
          {t("Edit")}
        </Button>
      </Needs>
      <Needs call="deleteChannel">
        <Button size="xs" variant="default" onClick={() => onRemove(channel)}>
          {t("Delete")}
        </Button>
      </Needs>
    </div>
  );
}
