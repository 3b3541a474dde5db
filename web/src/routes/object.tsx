import { useParams } from "react-router";
import { useLivePage } from "../features/live/use-live-page.js";
import { ObjectPage } from "../features/object/object-page.js";

export function Component() {
  const { id = "" } = useParams();
  useLivePage(id);
  return <ObjectPage key={id} id={id} />;
}
