import type { ShareKind } from "@web-tester/contracts/entities/access";
import type { Label } from "../../texts/text.js";

/** What a link shows: the ids that its kind has, as the API names them. */
export type ShareOf =
  | { readonly kind: "review"; readonly run_id: string }
  | { readonly kind: "snapshot"; readonly snapshot_id: string }
  | { readonly kind: "difference"; readonly snapshot_id: string; readonly other_id: string };

/** The same in a title. */
export const shareTitles: Readonly<Record<ShareKind, Label>> = {
  review: "Share this review",
  snapshot: "Share this snapshot",
  difference: "Share this difference",
};

/** The address that is given away. What stands behind `#` is not sent to any server with it, so that no log keeps the secret. */
export const shareAddress = (origin: string, secret: string): string => `${origin}/shared#${secret}`;
