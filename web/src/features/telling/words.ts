import type { EventKind } from "@web-tester/contracts/entities/digest";
import type { Cadence, ChannelKind, DeliveryState, Route } from "@web-tester/contracts/entities/telling";

export const kindWords: Readonly<Record<ChannelKind, string>> = {
  email: "E-mail",
  webhook: "Webhook, signed",
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  mattermost: "Mattermost",
  ntfy: "ntfy",
  telegram: "Telegram",
  template: "Request of your own",
};

/** What can be told of today. */
export const eventWords: Readonly<Partial<Record<EventKind, string>>> = {
  changed: "Changes that count",
  new: "New pages",
  gone: "Pages that are gone",
  moved: "Pages that moved",
  unlinked: "Pages no longer linked",
  failing: "Failures",
  recovered: "Pages that are back",
  unusual: "More changes than usual",
  silent: "No change for long",
  "run-ended": "Each run that ends",
};

export const stateWords: Readonly<Record<DeliveryState, string>> = {
  gathering: "Gathered",
  queued: "Waits",
  sending: "Being sent",
  sent: "Sent",
  dead: "Not sent",
};

const days = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];

export function cadenceWords(cadence: Cadence): string {
  switch (cadence.type) {
    case "at-once":
      return "at once";
    case "hourly":
      return "once an hour";
    case "daily":
      return `daily at ${cadence.at} (${cadence.time_zone})`;
    case "weekly":
      return `${days[cadence.day] ?? ""} at ${cadence.at} (${cadence.time_zone})`;
  }
}

/** What a route tells of, in one line. */
export function routeWords(route: Route): string {
  const events = route.events.map((event) => eventWords[event] ?? event).join(", ");
  const parts = [
    route.min_pages > 1 ? `changes from ${route.min_pages} pages on` : "",
    route.path === "" ? "" : `only on ${route.path}`,
    route.text === "" ? "" : `only where “${route.text}” is added or removed`,
    route.failures > 1 ? `failures after ${route.failures} in a row` : "",
    cadenceWords(route.cadence),
  ];
  return `${events}; ${parts.filter((part) => part !== "").join(", ")}`;
}
