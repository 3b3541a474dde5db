import { useParams } from "react-router";
import { ReviewPage } from "../features/review/review-page.js";

export function Component() {
  const { id = "" } = useParams();
  return <ReviewPage key={id} id={id} />;
}
