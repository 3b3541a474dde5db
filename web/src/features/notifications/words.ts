import type { EventKind } from "@web-tester/contracts/entities/digest";
import type { Cadence, ChannelKind, DeliveryState, Route } from "@web-tester/contracts/entities/notifications";
import { type Label, t } from "../../texts/text.js";

export const kindWords: Readonly<Record<ChannelKind, Label>> = {
  email: "E-mail",
  webhook: "Webhook, signed",
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  mattermost: "Mattermost",
  ntfy: "ntfy",
  telegram: "Telegram",
  template: "Custom request",
};

/** The kinds of event that routes can report at present. */
export const eventWords: Readonly<Partial<Record<EventKind, Label>>> = {
  changed: "Changes that count",
  new: "New pages",
  gone: "Pages that are gone",
  moved: "Pages that moved",
  unlinked: "Pages no longer linked",
  failing: "Failures",
  recovered: "Pages that are back",
  unusual: "More changes than usual",
  silent: "No change for a long time",
  "run-ended": "Every run that ends",
};

export const stateWords: Readonly<Record<DeliveryState, Label>> = {
  gathering: "Being collected",
  queued: "Waits",
  sending: "Being sent",
  sent: "Sent",
  dead: "Not sent",
  told: "Already told",
};

const days: readonly Label[] = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];

function cadenceWords(cadence: Cadence): string {
  switch (cadence.type) {
    case "at-once":
      return t("at once");
    case "hourly":
      return t("once an hour");
    case "daily":
      return t("daily at {at} ({time_zone})", { at: cadence.at, time_zone: cadence.time_zone });
    case "weekly":
      return t("{days} at {at} ({time_zone})", {
        days: t(days[cadence.day] ?? "Sundays"),
        at: cadence.at,
        time_zone: cadence.time_zone,
      });
  }
}

/** A kind of event in words; its plain name where it has none. */
function eventName(kind: EventKind): string {
  const words = eventWords[kind];
  return words === undefined ? kind : t(words);
}

/** Says in one line what a route reports. */
export function routeWords(route: Route): string {
  const events = route.events.map(eventName).join(", ");
  const parts = [
    route.min_pages > 1 ? t("changes on {count} or more pages", { count: route.min_pages }) : "",
    route.path === "" ? "" : t("only on {path}", { path: route.path }),
    route.text === "" ? "" : t("only if “{text}” is added or removed", { text: route.text }),
    route.failures > 1 ? t("failures after {count} in a row", { count: route.failures }) : "",
    cadenceWords(route.cadence),
  ];
  return `${events}; ${parts.filter((part) => part !== "").join(", ")}`;
}
