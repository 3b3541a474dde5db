import { useParams, useSearchParams } from "react-router";
import { RenderPage } from "../features/snapshot/render-page.js";

export function Component() {
  const { id = "" } = useParams();
  const [query] = useSearchParams();
  return <RenderPage key={id} id={id} previewKey={query.get("previewKey")} />;
}
