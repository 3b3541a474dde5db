import { useParams } from "react-router";
import { SnapshotPage } from "../features/snapshot/snapshot-page.js";

export function Component() {
  const { id = "" } = useParams();
  return <SnapshotPage key={id} id={id} />;
}
