import { Offline } from "./offline.js";
import { usePaper } from "./use-paper.js";

/** What the frame can do without for its first moment, and so is loaded after it. */
export default function Late() {
  usePaper();
  return <Offline />;
}
