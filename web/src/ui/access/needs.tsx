import type { EndpointName } from "@web-tester/contracts/api";
import { cloneElement } from "react";
import { isShared } from "./shared.js";
import { useRefusals } from "./may.js";

/** The props of a control that its reader may not use: it can be hovered and focused, says why, and does nothing. */
interface Refused {
  "aria-disabled"?: true;
  "aria-description"?: string;
  "data-refused"?: string;
  title?: string | undefined;
  onClick?: (event: React.MouseEvent) => void;
  onChange?: () => void;
}

/** The props of a control that may be used. */
interface Control extends Refused {
  type?: string;
  onKeyDown?: (event: React.KeyboardEvent) => void;
}

const nothing = (): void => undefined;

/**
 * Wraps a control that makes a call: unchanged where the reader's role may make it, else refused with the reason on hover and focus
 * (shown by {@link Reasons}). Behind a share link, where everything is read-only, it is left out.
 */
export function Needs({ call, children }: { call: EndpointName; children: React.ReactElement<Control> }) {
  const why = useRefusals()(call);
  if (isShared) return null;
  if (why === null) return pressedOnce(children);
  return cloneElement(children, {
    "aria-disabled": true,
    "aria-description": why,
    "data-refused": why,
    title: undefined,
    onClick: (event) => {
      event.preventDefault();
      event.stopPropagation();
    },
    onChange: nothing,
  });
}

/** Makes a button call only once when it is double-clicked, or when Enter is held down on it. */
function pressedOnce(control: React.ReactElement<Control>) {
  const { type, onClick, onKeyDown } = control.props;
  if (type !== "submit" && onClick === undefined) return control;
  return cloneElement(control, {
    onClick: (event) => {
      if (event.detail > 1) event.preventDefault();
      else onClick?.(event);
    },
    onKeyDown: (event) => {
      if (event.repeat && event.key === "Enter") event.preventDefault();
      onKeyDown?.(event);
    },
  });
}
