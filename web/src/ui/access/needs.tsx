import type { EndpointName } from "@web-tester/contracts/api";
import { cloneElement } from "react";
import { isShared } from "./shared.js";
import { useRefusals } from "./may.js";

/** What a control is given that its reader may not use: it can be pointed at and focused, says why, and does nothing. */
interface Refused {
  "aria-disabled"?: true;
  "aria-description"?: string;
  "data-refused"?: string;
  title?: string | undefined;
  onClick?: (event: React.MouseEvent) => void;
  onChange?: () => void;
}

/** A control as it is where it may be used. */
interface Control extends Refused {
  type?: string;
  onKeyDown?: (event: React.KeyboardEvent) => void;
}

const nothing = (): void => undefined;

/**
 * A control that makes a call: as it is where the reader's role may make it, else refused with the reason on hover and focus ({@link Reasons}
 * shows it). Behind a share link, where there is nothing to do but to read, it is left out.
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

/** A button that was clicked twice by habit, or on which Enter is held down, makes its call once. */
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
