import { useParams, useSearchParams } from "react-router";
import { ComparePage } from "../features/review/compare-page.js";

export function Component() {
  const { id = "" } = useParams();
  const [params] = useSearchParams();
  return <ComparePage key={id} id={id} to={params.get("to")} />;
}
