import { Button, Switch } from "@mantine/core";
import type { Channel } from "@web-tester/contracts/entities/telling";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { Empty } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { useTelling } from "./use-telling.js";
import { kindWords } from "./words.js";
import classes from "./telling.module.css";

interface Props {
  channels: readonly Channel[];
  onEdit: (channel: Channel) => void;
  onRemove: (channel: Channel) => void;
}

/** Where messages go, each with a try. */
export function ChannelsCard({ channels, onEdit, onRemove }: Props) {
  return (
    <Card title="Channels" aside={counted(channels.length, "channel")} flush>
      {channels.length === 0 && (
        <Empty title="No channels yet">
          Nobody is told anything. Add an e-mail address, a chat or a webhook, and then say what it is told.
        </Empty>
      )}
      <ul className={classes["list"]} aria-label="Channels">
        {channels.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} onEdit={onEdit} onRemove={onRemove} />
        ))}
      </ul>
    </Card>
  );
}

function ChannelRow({ channel, onEdit, onRemove }: Omit<Props, "channels"> & { channel: Channel }) {
  const { attempt } = useTelling();
  const [tried, setTried] = useState<{ ok: boolean; words: string }>();
  const [isTrying, setTrying] = useState(false);
  const { id, name, kind, enabled, host, to, fault } = channel;
  const test = async () => {
    setTrying(true);
    const result = await call("testChannel", { params: { id } }).then(
      ({ ok, status, answer }) => ({
        ok,
        words: `${ok ? "It arrived" : "It did not arrive"}${status === null ? "" : ` (${status})`}${answer === "" ? "" : `: ${answer}`}`,
      }),
      (error: unknown) => ({ ok: false, words: messageOf(error) }),
    );
    setTried(result);
    setTrying(false);
  };
  return (
    <li className={classes["row"]} data-off={!enabled || undefined}>
      <div>
        <span className={classes["title"]}>{name}</span>
        <div className="label">
          {kindWords[kind]}
          {kind === "email" ? `, to ${to.join(", ")}` : host !== null && `, ${host}`}
        </div>
        {fault !== null && <div data-tone="failed">Switched off: {fault}</div>}
        {tried !== undefined && (
          <div role="status" data-tone={tried.ok ? "done" : "failed"} className={classes["code"]}>
            {tried.words}
          </div>
        )}
      </div>
      <div className={classes["acts"]}>
        <Switch
          size="xs"
          aria-label={`On: ${name}`}
          checked={enabled}
          onChange={(event) => {
            const on = event.currentTarget.checked;
            attempt(
              call("updateChannel", { params: { id }, body: { enabled: on } }),
              on ? "It is told again." : "Switched off.",
            );
          }}
        />
        <Button size="xs" variant="default" loading={isTrying} onClick={() => void test()}>
          Test
        </Button>
        <Button size="xs" variant="default" onClick={() => onEdit(channel)}>
          Edit
        </Button>
        <Button size="xs" variant="default" onClick={() => onRemove(channel)}>
          Delete
        </Button>
      </div>
    </li>
  );
}
