import { useParams } from "react-router";
import { PatchButton } from "../features/diff/share/patch-button.js";
import { pairsOfRun } from "../features/diff/share/run-patch.js";
import { ReviewPage } from "../features/review/review-page.js";
import { ShareButton } from "../features/sharing/share-button.js";

export function Component() {
  const { id = "" } = useParams();
  return (
    <ReviewPage
      key={id}
      id={id}
      share={<ShareButton of={{ kind: "review", run_id: id }} />}
      patch={(of) => <PatchButton {...of} pairs={(signal) => pairsOfRun(id, signal)} />}
    />
  );
}
