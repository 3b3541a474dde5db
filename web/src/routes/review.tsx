import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "react-router";
import { testObjectQuery } from "../api/queries.js";
import { reviewQuery } from "../api/review-queries.js";
import { PatchButton } from "../features/diff/share/patch-button.js";
import { pairsOfRun } from "../features/diff/share/run-patch.js";
import { RemovalNotice } from "../features/object/removal-notice.js";
import { ReviewPage } from "../features/review/review-page.js";
import { useShareDialog } from "../features/sharing/share-button.js";

export function Component() {
  const { id = "" } = useParams();
  const objectId = useQuery(reviewQuery(id)).data?.testobject.id;
  const object = useQuery({
    ...testObjectQuery(useQueryClient(), objectId ?? ""),
    enabled: objectId !== undefined,
  }).data;
  const removal = object?.removal ?? null;
  const share = useShareDialog({ kind: "review", run_id: id });
  return (
    <ReviewPage
      key={id}
      id={id}
      share={share}
      notice={removal !== null && <RemovalNotice removal={removal} name={object?.name ?? ""} />}
      patch={(of) => <PatchButton {...of} pairs={(signal) => pairsOfRun(id, signal)} />}
    />
  );
}
