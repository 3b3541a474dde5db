import "@mantine/core/styles/Code.layer.css";
import { Button, Code, Modal, Skeleton } from "@mantine/core";
import type { Channel, Route } from "@web-tester/contracts/entities/telling";
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
import { useTelling } from "./use-telling.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./telling.module.css";

/** Who is told what, where messages go, and what was sent. @param about the test object that a new route is about */
export function TellingPage({ about }: { about: string | null }) {
  usePageMeta(t("Notifications"), t("Who is told what, and what was sent."), "/notifications");
  const client = useQueryClient();
  const channels = useQuery(channelsQuery());
  const routes = useQuery(routesQuery());
  const objects = useQuery(testObjectsQuery(client)).data ?? [];
  const { done, attempt } = useTelling();
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
          <>
            <Needs call="createChannel">
              <Button variant={all.length === 0 ? "filled" : "default"} onClick={() => setChannel("new")}>
                {t("Add Channel")}
              </Button>
            </Needs>
            <Needs call="createRoute">
              <Button disabled={all.length === 0} onClick={() => setRoute("new")}>
                {t("Add Route")}
              </Button>
            </Needs>
          </>
        }
      />
      <div className={rowClasses["sections"]}>
        {failed !== null && (
          <InlineError
            title={t("The channels could not be loaded")}
            detail={messageOf(failed)}
            onRetry={() => void Promise.all([channels.refetch(), routes.refetch()])}
          />
        )}
        {channels.isPending && <Skeleton height={160} radius={8} />}
        {channels.isSuccess && routes.isSuccess && (
          <>
            <RoutesCard
              routes={routes.data.items}
              about={objects.find(({ id }) => id === about)}
              channels={all}
              objects={objects}
              onEdit={setRoute}
            />
            <ChannelsCard channels={all} onEdit={setChannel} onRemove={setRemoved} />
            <DeliveriesCard />
            <FeedsCard objects={objects} />
          </>
        )}
      </div>
      <Modal
        opened={channel !== undefined}
        onClose={() => setChannel(undefined)}
        title={channel === "new" ? t("Add channel") : t("Channel")}
        size="lg"
      >
        {channel !== undefined && (
          <ChannelForm
            channel={channel === "new" ? undefined : channel}
            onCancel={() => setChannel(undefined)}
            onSaved={async (made) => {
              setChannel(undefined);
              setSecret(made);
              await done(Promise.resolve(), t("Saved."));
            }}
          />
        )}
      </Modal>
      <Modal
        opened={route !== undefined}
        onClose={() => setRoute(undefined)}
        title={route === "new" ? t("Add route") : t("Route")}
        size="lg"
      >
        {route !== undefined && (
          <RouteForm
            channels={all}
            objects={objects}
            route={route === "new" ? undefined : route}
            objectId={about}
            onCancel={() => setRoute(undefined)}
            onSaved={async () => {
              setRoute(undefined);
              await done(Promise.resolve(), t("Saved."));
            }}
          />
        )}
      </Modal>
      <Modal opened={secret !== null} onClose={() => setSecret(null)} title={t("The signing secret")}>
        <p>{t("Messages to this webhook are signed with it. It is shown once: copy it to the receiver now.")}</p>
        <Code block className={classes["address"]}>
          {secret}
        </Code>
      </Modal>
      <ConfirmDialog
        ask={
          removed && {
            title: t("Delete channel"),
            sentence: t("“{name}” is told nothing more; its routes and the list of what was sent to it go with it.", {
              name: removed.name,
            }),
            losses: [],
          }
        }
        onCancel={() => setRemoved(undefined)}
        onConfirm={() => {
          if (removed !== undefined)
            attempt(call("deleteChannel", { params: { id: removed.id } }), t("The channel is gone."));
          setRemoved(undefined);
        }}
      />
    </Page>
  );
}
