import type { ShareKind } from "@web-tester/contracts/entities/access";
import type { Label } from "../../texts/text.js";

/** What a link shows: the ids that its kind needs, named as in the API. */
export type ShareOf =
  | { readonly kind: "review"; readonly run_id: string }
  | { readonly kind: "snapshot"; readonly snapshot_id: string }
  | { readonly kind: "difference"; readonly snapshot_id: string; readonly other_id: string };

/** The title of the dialog, by kind. */
export const shareTitles: Readonly<Record<ShareKind, Label>> = {
  review: "Share this review",
  snapshot: "Share this snapshot",
  difference: "Share this comparison",
};

/** The address to give away. Browsers do not send what stands behind `#` to servers, so that no log contains the secret. */
export const shareAddress = (origin: string, secret: string): string => `${origin}/shared#${secret}`;
