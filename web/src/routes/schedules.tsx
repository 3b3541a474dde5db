import { useParams } from "react-router";
import { useLivePage } from "../features/live/use-live-page.js";
import { SchedulesPage } from "../features/schedules/schedules-page.js";

export function Component() {
  const { id = "" } = useParams();
  useLivePage(id);
  return <SchedulesPage key={id} id={id} />;
}
