import { useSearchParams } from "react-router";
import { SignInPage } from "../features/access/sign-in-page.js";

export function Component() {
  const [search] = useSearchParams();
  return <SignInPage failed={search.get("failed")} />;
}
