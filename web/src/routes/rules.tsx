import { useParams } from "react-router";
import { useLivePage } from "../features/live/use-live-page.js";
import { RulesPage } from "../features/rules/rules-page.js";

export function Component() {
  const { id = "" } = useParams();
  useLivePage(id);
  return <RulesPage key={id} id={id} />;
}
