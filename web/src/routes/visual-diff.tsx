import { VisualPage } from "../features/diff/visual/visual-page.js";
import { IgnoreDialog } from "../features/rules/ignore-dialog.js";

export function Component() {
  return <VisualPage ignoreDialog={(place, onClose) => <IgnoreDialog place={place} onClose={onClose} />} />;
}
