import type { TestObject } from "@web-tester/contracts/entities/object";
import { useQuery } from "@tanstack/react-query";
import { runDaysQuery } from "../../api/queries.js";
import { Days } from "../../ui/days/days.js";

/** The last days of an object. */
export function RunDays({ object }: { object: TestObject }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return <Days items={useQuery(runDaysQuery(object.id, zone)).data?.items ?? []} />;
}
