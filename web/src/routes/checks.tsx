import { useParams } from "react-router";
import { ChecksPage } from "../features/checks/checks-page.js";

export function Component() {
  const { id = null } = useParams();
  return <ChecksPage key={id} id={id} />;
}
