import { useEffect, useState } from "react";
import classes from "./access.module.css";

interface Shown {
  words: string;
  left: number;
  top: number;
  isAbove: boolean;
}

const gap = 6;
/** With less room than this below the control, the words are shown above it. */
const roomBelow = 64;
const width = 260;

/** Shows, beside a refused control that is hovered or focused, why it does nothing. One instance serves all controls. */
export function Reasons() {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    const show = ({ target }: Event) => {
      const control = target instanceof Element ? target.closest<HTMLElement>("[data-refused]") : null;
      setShown(control === null ? undefined : placeAt(control));
    };
    const hide = () => setShown(undefined);
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && hide();
    document.addEventListener("pointerover", show);
    document.addEventListener("focusin", show);
    document.addEventListener("focusout", hide);
    document.addEventListener("keydown", onKey);
    window.addEventListener("scroll", hide, { capture: true, passive: true });
    return () => {
      document.removeEventListener("pointerover", show);
      document.removeEventListener("focusin", show);
      document.removeEventListener("focusout", hide);
      document.removeEventListener("keydown", onKey);
      window.removeEventListener("scroll", hide, { capture: true });
    };
  }, []);
  if (shown === undefined) return null;
  const { words, left, top, isAbove } = shown;
  return (
    <div role="tooltip" className={classes["reason"]} data-above={isAbove || undefined} style={{ left, top }}>
      {words}
    </div>
  );
}

function placeAt(control: HTMLElement): Shown {
  // the input of a switch is invisible: the label or root around it has the visible box
  const box = (control.closest("label, .mantine-Switch-root") ?? control).getBoundingClientRect();
  const isAbove = box.bottom + roomBelow > window.innerHeight;
  const left = Math.max(8, Math.min(box.left, window.innerWidth - width - 8));
  return {
    ...{ words: control.dataset["refused"] ?? "", left, isAbove },
    top: isAbove ? box.top - gap : box.bottom + gap,
  };
}
