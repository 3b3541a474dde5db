import { DiffPage } from "../features/diff/diff-page.js";
import { IgnoreDialog } from "../features/rules/ignore-dialog.js";
import { ShareButton } from "../features/sharing/share-button.js";

export function Component() {
  return (
    <DiffPage
      ignoreDialog={(place, onClose) => <IgnoreDialog place={place} onClose={onClose} />}
      share={({ a, b }) => <ShareButton of={{ kind: "difference", snapshot_id: a, other_id: b }} />}
    />
  );
}
