import { useParams } from "react-router";
import { SearchPage } from "../features/search/search-page.js";

export function Component() {
  const { id = "" } = useParams();
  return <SearchPage key={id} objectId={id} />;
}
