import { useCallback, useState } from "react";
import { type Confirmation, ConfirmDialog } from "./confirm-dialog.js";

/**
 * Provides a confirmation before something is lost.
 * @returns the dialog to render, and a function that opens it: `confirm` is called where the answer is yes
 */
export function useConfirm(): readonly [
  dialog: React.ReactNode,
  ask: (confirmation: Confirmation, confirm: () => void) => void,
] {
  const [asked, setAsked] = useState<{ confirmation: Confirmation; confirm: () => void }>();
  const ask = useCallback((confirmation: Confirmation, confirm: () => void) => setAsked({ confirmation, confirm }), []);
  const dialog = (
    <ConfirmDialog
      ask={asked?.confirmation}
      onCancel={() => setAsked(undefined)}
      onConfirm={() => {
        asked?.confirm();
        setAsked(undefined);
      }}
    />
  );
  return [dialog, ask];
}
