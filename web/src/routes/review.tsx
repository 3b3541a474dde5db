import { useParams } from "react-router";
import { ReviewPage } from "../features/review/review-page.js";
import { ShareButton } from "../features/sharing/share-button.js";

export function Component() {
  const { id = "" } = useParams();
  return <ReviewPage key={id} id={id} share={<ShareButton of={{ kind: "review", run_id: id }} />} />;
}
