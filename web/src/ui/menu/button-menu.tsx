import { Menu, type MenuProps } from "@mantine/core";
import { cloneElement, useState } from "react";

interface Props extends Pick<MenuProps, "position"> {
  /** The button that opens it. */
  button: React.ReactElement<React.HTMLAttributes<HTMLElement>>;
  width: number;
  children: React.ReactNode;
}

/**
 * A button that opens a menu, with the usual keys (ARIA Authoring Practices, menu button): Enter, Space and arrow down go to its first
 * item, arrow up to its last.
 */
export function ButtonMenu({ button, width, position = "bottom-end", children }: Props) {
  const [leadsTo, setLeadsTo] = useState<"first" | "last">("first");
  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    setLeadsTo(event.key === "ArrowUp" ? "last" : "first");
    event.currentTarget.click();
  };
  return (
    // without Mantine's placeholder the first item gets the focus; with it, Home and End would scroll the page
    <Menu position={position} width={width} withInitialFocusPlaceholder={false} onClose={() => setLeadsTo("first")}>
      <Menu.Target>{cloneElement(button, { onKeyDown })}</Menu.Target>
      <Menu.Dropdown ref={leadsTo === "last" ? leadToLast : undefined}>{children}</Menu.Dropdown>
    </Menu>
  );
}

/** Marks the last item, so that Mantine focuses it as soon as the menu is open. */
function leadToLast(menu: HTMLElement | null): void {
  const items = menu?.querySelectorAll("[data-menu-item]:not(:disabled)") ?? [];
  [...items].at(-1)?.setAttribute("data-autofocus", "");
}
