import "@mantine/core/styles/Code.layer.css";
import { Button, Code, Modal, Skeleton } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Channel, Route } from "@web-tester/contracts/entities/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { testObjectsQuery } from "../../api/queries.js";
import { channelsQuery, routesQuery } from "../../api/watch-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.js";
import { InlineError } from "../../ui/feedback/states.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { ChannelForm } from "./channel-form.js";
import { ChannelsCard } from "./channels-card.js";
import { DeliveriesCard } from "./deliveries-card.js";
import { FeedsCard } from "./feeds-card.js";
import { RouteForm } from "./route-form.js";
import { RoutesCard } from "./routes-card.js";
import { useNotifications } from "./use-notifications.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./notifications.module.css";

/**
 * The page about who is told what, where messages go, and what was sent.
 * @param about the test object that a new route is about
 */
export function NotificationsPage({ about }: { about: string | null }) {
  usePageMeta(t("Notifications"), t("Who is notified of what, and what was sent."), "/notifications");
  const channels = useQuery({ ...channelsQuery(), refetchInterval: 10_000 });
  const routes = useQuery(routesQuery());
  const objects = useQuery(testObjectsQuery(useQueryClient())).data ?? [];
  const [channel, setChannel] = useState<Channel | "new">();
  const [route, setRoute] = useState<Route | "new">();
  const [removed, setRemoved] = useState<Channel>();
  const [secret, setSecret] = useState<string | null>(null);
  const all = channels.data?.items ?? [];
  const failed = channels.error ?? routes.error;
  return (
    <Page>
      <PageHead
        title={t("Notifications")}
        actions={
          <Actions isEmpty={all.length === 0} onChannel={() => setChannel("new")} onRoute={() => setRoute("new")} />
        }
      />
      <div className={rowClasses["sections"]}>
        {failed !== null && (
          <Failed error={failed} onRetry={() => void Promise.all([channels.refetch(), routes.refetch()])} />
        )}
        {channels.isPending && <Skeleton height={160} radius={8} />}
        {channels.isSuccess && routes.isSuccess && (
          <>
            <RoutesCard routes={routes.data.items} {...{ about, channels: all, objects }} onEdit={setRoute} />
            <ChannelsCard channels={all} onEdit={setChannel} onRemove={setRemoved} />
            <DeliveriesCard />
            <FeedsCard objects={objects} />
          </>
        )}
      </div>
      <ChannelDialog channel={channel} onChannel={setChannel} onSecret={setSecret} />
      <RouteDialog route={route} onRoute={setRoute} channels={all} objects={objects} about={about} />
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
      <RemoveDialog channel={removed} onClose={() => setRemoved(undefined)} />
    </Page>
  );
}

interface ActionsProps {
  /** Whether there is no channel yet. */
  isEmpty: boolean;
  onChannel: () => void;
  onRoute: () => void;
}

function Actions({ isEmpty, onChannel, onRoute }: ActionsProps) {
  return (
    <>
      <Needs call="createChannel">
        <Button variant={isEmpty ? "filled" : "default"} onClick={onChannel}>
          {t("Add Channel")}
        </Button>
      </Needs>
      <Needs call="createRoute">
        <Button disabled={isEmpty} onClick={onRoute}>
          {t("Add Route")}
        </Button>
      </Needs>
    </>
  );
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return <InlineError title={t("The channels could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />;
}

interface ChannelDialogProps {
  channel: Channel | "new" | undefined;
  onChannel: (channel: undefined) => void;
  onSecret: (secret: string | null) => void;
}

function ChannelDialog({ channel, onChannel, onSecret }: ChannelDialogProps) {
  const { done } = useNotifications();
  return (
    <Modal
      opened={channel !== undefined}
      onClose={() => onChannel(undefined)}
      title={channel === "new" ? t("Add channel") : t("Channel")}
      size="lg"
    >
      {channel !== undefined && (
        <ChannelForm
          channel={channel === "new" ? undefined : channel}
          onCancel={() => onChannel(undefined)}
          onSaved={async (made) => {
            onChannel(undefined);
            onSecret(made);
            await done(Promise.resolve(), t("Saved."));
          }}
        />
      )}
    </Modal>
  );
}

interface RouteDialogProps {
  route: Route | "new" | undefined;
  onRoute: (route: undefined) => void;
  channels: readonly Channel[];
  objects: readonly TestObject[];
  about: string | null;
}

function RouteDialog({ route, onRoute, channels, objects, about }: RouteDialogProps) {
  const { done } = useNotifications();
  return (
    <Modal
      opened={route !== undefined}
      onClose={() => onRoute(undefined)}
      title={route === "new" ? t("Add route") : t("Route")}
      size="lg"
    >
      {route !== undefined && (
        <RouteForm
          channels={channels}
          objects={objects}
          route={route === "new" ? undefined : route}
          objectId={about}
          onCancel={() => onRoute(undefined)}
          onSaved={async () => {
            onRoute(undefined);
            await done(Promise.resolve(), t("Saved."));
          }}
        />
      )}
    </Modal>
  );
}

function SecretDialog({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  return (
    <Modal opened={secret !== null} onClose={onClose} title={t("The signing secret")}>
      <p>{t("Messages to this webhook are signed with it. It is shown only once: copy it to the receiver now.")}</p>
      <Code block className={classes["address"]}>
        {secret}
      </Code>
    </Modal>
  );
}

/** Asks for confirmation before a channel is deleted. */
function RemoveDialog({ channel: removed, onClose }: { channel: Channel | undefined; onClose: () => void }) {
  const { attempt } = useNotifications();
  return (
    <ConfirmDialog
      ask={
        removed && {
          title: t("Delete channel"),
          sentence: t(
            "“{name}” receives no more messages. Its routes and the list of messages sent to it are deleted too.",
            {
              name: removed.name,
            },
          ),
          losses: [],
        }
      }
      onCancel={onClose}
      onConfirm={() => {
        if (removed !== undefined)
          attempt(call("deleteChannel", { params: { id: removed.id } }), t("Channel deleted."));
        onClose();
      }}
    />
  );
}
