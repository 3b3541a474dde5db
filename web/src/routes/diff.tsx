import { DiffPage } from "../features/diff/diff-page.js";
import { IgnoreDialog } from "../features/rules/ignore-dialog.js";

export function Component() {
  return <DiffPage ignoreDialog={(place, onClose) => <IgnoreDialog place={place} onClose={onClose} />} />;
}
