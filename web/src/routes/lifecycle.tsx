import { useParams } from "react-router";
import { LifecyclePage } from "../features/lifecycle/lifecycle-page.js";
import { useLivePage } from "../features/live/use-live-page.js";

export function Component() {
  const { id = "" } = useParams();
  useLivePage(id);
  return <LifecyclePage key={id} id={id} />;
}
