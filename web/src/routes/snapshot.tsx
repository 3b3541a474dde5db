import { useParams } from "react-router";
import { ShareButton } from "../features/sharing/share-button.js";
import { SnapshotPage } from "../features/snapshot/snapshot-page.js";

export function Component() {
  const { id = "" } = useParams();
  return <SnapshotPage key={id} id={id} share={<ShareButton of={{ kind: "snapshot", snapshot_id: id }} />} />;
}
