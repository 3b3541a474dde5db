import { useQuery } from "@tanstack/react-query";
import { allDaysQuery } from "../../api/watch-queries.js";
import { Days } from "../../ui/days/days.js";

/** The strip of the last days, for all objects together. */
export function AllDays() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return <Days items={useQuery(allDaysQuery(zone)).data?.items ?? []} />;
}
