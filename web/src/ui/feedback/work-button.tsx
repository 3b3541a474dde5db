import { Button, type ButtonProps } from "@mantine/core";
import { useSlow } from "./states.js";

/** How long a call may take until its button shows that it works, in ms: most are over before, and would only flicker. */
const shownAfterMs = 1_000;

interface Props extends ButtonProps, Omit<React.ComponentPropsWithoutRef<"button">, keyof ButtonProps> {
  /** Whether the call that the button began is under way. */
  isWorking: boolean;
}

/** A button that makes a call: it cannot be pressed again while the call is under way, and shows so once that lasts. */
export function WorkButton({ isWorking, disabled = false, ...props }: Props) {
  const isSlow = useSlow(isWorking, shownAfterMs);
  return <Button {...props} disabled={disabled || isWorking} loading={isSlow} aria-busy={isSlow || undefined} />;
}
