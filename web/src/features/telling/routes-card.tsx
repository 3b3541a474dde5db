import { Button } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Channel, Route } from "@web-tester/contracts/entities/telling";
import { Link } from "react-router";
import { call } from "../../api/client.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { useTelling } from "./use-telling.js";
import { routeWords } from "./words.js";
import rowClasses from "../../ui/layout/rows.module.css";

interface Props {
  routes: readonly Route[];
  /** Whose routes are shown: those about it, its tags and all objects. All of them where it is left out. */
  about: TestObject | undefined;
  channels: readonly Channel[];
  objects: readonly TestObject[];
  onEdit: (route: Route) => void;
}

const isAbout = ({ testobject_id: id, tag }: Route, { id: objectId, tags }: TestObject): boolean =>
  id === objectId || (id === null && (tag === "" || tags.includes(tag)));

const dayMs = 24 * 3_600_000;

/** Who is told what. */
export function RoutesCard({ routes: all, about, channels, objects, onEdit }: Props) {
  const routes = about === undefined ? all : all.filter((route) => isAbout(route, about));
  const { attempt } = useTelling();
  const nameOf = (list: readonly { id: string; name: string }[], id: string) =>
    list.find((one) => one.id === id)?.name ?? "…";
  return (
    <Card
      title={about === undefined ? t("Who is told what") : t("Who is told what of {name}", { name: about.name })}
      aside={
        <>
          {counted(routes.length, "route")}
          {about !== undefined && (
            <>
              {" · "}
              <Link to="/notifications">{t("Routes of all")}</Link>
            </>
          )}
        </>
      }
      flush
    >
      {routes.length === 0 && channels.length > 0 && (
        <Empty title={t("No routes yet")}>
          {t("The channels are there, but nothing is told to them. Add a route.")}
        </Empty>
      )}
      <ul className={rowClasses["list"]} aria-label={t("Routes")}>
        {routes.map((route) => {
          const { id, muted_until: muted } = route;
          const isMuted = muted !== null && new Date(muted) > new Date();
          const mute = (until: string | null) =>
            attempt(
              call("updateRoute", { params: { id }, body: { muted_until: until } }),
              until === null ? t("It is told again.") : t("Muted until {at}.", { at: formatDate(until) }),
            );
          return (
            <li key={id} className={rowClasses["foldingRow"]} data-off={isMuted || undefined}>
              <div>
                <span className={rowClasses["title"]}>
                  {nameOf(channels, route.channel_id)}:{" "}
                  {route.testobject_id !== null
                    ? nameOf(objects, route.testobject_id)
                    : route.tag === ""
                      ? t("all test objects")
                      : t("all tagged {tag}", { tag: route.tag })}
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
                <Needs call="updateRoute">
                  <Button size="xs" variant="default" onClick={() => onEdit(route)}>
                    {t("Edit")}
                  </Button>
                </Needs>
                <Needs call="deleteRoute">
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => attempt(call("deleteRoute", { params: { id } }), t("It is told no more."))}
                  >
                    {t("Delete")}
                  </Button>
                </Needs>
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
