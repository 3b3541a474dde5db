import { Button } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Channel, Route } from "@web-tester/contracts/entities/notifications";
import { Link } from "react-router";
import { call } from "../../api/client.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { useNotifications } from "./use-notifications.js";
import { routeWords } from "./words.js";
import rowClasses from "../../ui/layout/rows.module.css";

interface Props {
  routes: readonly Route[];
  /** The object whose routes are shown: those about it, about its tags, and about all objects; null: all routes. */
  about: string | null;
  channels: readonly Channel[];
  objects: readonly TestObject[];
  onEdit: (route: Route) => void;
}

const isAbout = ({ testobject_id: id, tag }: Route, { id: objectId, tags }: TestObject): boolean =>
  id === objectId || (id === null && (tag === "" || tags.includes(tag)));

const dayMs = 24 * 3_600_000;

/** Lists who is told what. */
export function RoutesCard({ routes: all, about: aboutId, channels, objects, onEdit }: Props) {
  const about = objects.find(({ id }) => id === aboutId);
  const routes = about === undefined ? all : all.filter((route) => isAbout(route, about));
  return (
    <Card
      title={
        about === undefined ? t("Who is notified of what") : t("Who is notified about {name}", { name: about.name })
      }
      aside={<Aside count={routes.length} isOfOne={about !== undefined} />}
      flush
    >
      {routes.length === 0 && (
        <Empty title={t("No routes yet")}>
          {channels.length > 0
            ? t("Nothing is sent to your channels yet. Add a route.")
            : t("A route defines what is sent to a channel. Add a channel first.")}
        </Empty>
      )}
      <ul className={rowClasses["list"]} aria-label={t("Routes")}>
        {routes.map((route) => (
          <RouteRow key={route.id} route={route} channels={channels} objects={objects} onEdit={onEdit} />
        ))}
      </ul>
    </Card>
  );
}

/** The number of routes, and a link to all routes where only those of one object are shown. */
function Aside({ count, isOfOne }: { count: number; isOfOne: boolean }) {
  return (
    <>
      {counted(count, "route")}
      {isOfOne && (
        <>
          {" · "}
          <Link to="/notifications">{t("All routes")}</Link>
        </>
      )}
    </>
  );
}

interface RowProps extends Pick<Props, "channels" | "objects" | "onEdit"> {
  route: Route;
}

function RouteRow({ route, channels, objects, onEdit }: RowProps) {
  const { attempt } = useNotifications();
  const { id, muted_until: muted } = route;
  const isMuted = muted !== null && new Date(muted) > new Date();
  const mute = (until: string | null) =>
    attempt(
      call("updateRoute", { params: { id }, body: { muted_until: until } }),
      until === null ? t("Notifications resumed.") : t("Muted until {at}.", { at: formatDate(until) }),
    );
  return (
    <li className={rowClasses["foldingRow"]} data-off={isMuted || undefined}>
      <div>
        <span className={rowClasses["title"]}>
          {nameIn(channels, route.channel_id)}: {aboutWords(route, objects)}
        </span>
        <div>{routeWords(route)}</div>
        {isMuted && <div className="label">{t("Muted until {at}", { at: formatDate(muted) })}</div>}
      </div>
      <div className={rowClasses["acts"]}>
        <Needs call="updateRoute">
          <Button
            size="xs"
            variant="default"
            onClick={() => mute(isMuted ? null : new Date(Date.now() + dayMs).toISOString())}
          >
            {isMuted ? t("Unmute") : t("Mute for a day")}
          </Button>
        </Needs>
        <EditAndDelete route={route} onEdit={onEdit} />
      </div>
    </li>
  );
}

function EditAndDelete({ route, onEdit }: Pick<RowProps, "route" | "onEdit">) {
  const { attempt } = useNotifications();
  return (
    <>
      <Needs call="updateRoute">
        <Button size="xs" variant="default" onClick={() => onEdit(route)}>
          {t("Edit")}
        </Button>
      </Needs>
      <Needs call="deleteRoute">
        <Button
          size="xs"
          variant="default"
          onClick={() => attempt(call("deleteRoute", { params: { id: route.id } }), t("Route deleted."))}
        >
          {t("Delete")}
        </Button>
      </Needs>
    </>
  );
}

const nameIn = (list: readonly { id: string; name: string }[], id: string) =>
  list.find((one) => one.id === id)?.name ?? "…";

function aboutWords({ testobject_id: id, tag }: Route, objects: readonly TestObject[]): string {
  if (id !== null) return nameIn(objects, id);
  return tag === "" ? t("all test objects") : t("all tagged {tag}", { tag });
}
