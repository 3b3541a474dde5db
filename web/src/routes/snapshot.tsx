import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { snapshotQuery } from "../api/queries.js";
import { RemovalNotice } from "../features/object/removal-notice.js";
import { ShareButton } from "../features/sharing/share-button.js";
import { SnapshotPage } from "../features/snapshot/snapshot-page.js";

export function Component() {
  const { id = "" } = useParams();
  const snapshot = useQuery(snapshotQuery(id)).data;
  const removal = snapshot?.removal ?? null;
  return (
    <SnapshotPage
      key={id}
      id={id}
      share={<ShareButton of={{ kind: "snapshot", snapshot_id: id }} />}
      notice={removal !== null && <RemovalNotice removal={removal} name={snapshot?.testobject.name ?? ""} />}
    />
  );
}
