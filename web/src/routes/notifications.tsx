import { useSearchParams } from "react-router";
import { NotificationsPage } from "../features/notifications/notifications-page.js";

export function Component() {
  const [search] = useSearchParams();
  return <NotificationsPage about={search.get("about")} />;
}
