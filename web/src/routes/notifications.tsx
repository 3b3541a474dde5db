import { useSearchParams } from "react-router";
import { TellingPage } from "../features/telling/telling-page.js";

export function Component() {
  const [search] = useSearchParams();
  return <TellingPage about={search.get("about")} />;
}
