import { ActionIcon } from "@mantine/core";
import { IconMenu2, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "react-router";
import { t } from "../../texts/text.js";
import { navigation } from "./navigation.js";
import classes from "./shell.module.css";

/** The navigation on a phone: a disclosure, closed by Escape, by leaving it and by going somewhere. */
export function PhoneMenu({ children }: { children: React.ReactNode }) {
  const [opened, setOpened] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const Glyph = opened ? IconX : IconMenu2;

  useEffect(() => setOpened(false), [pathname]);
  useClosedFromOutside(box, opened, () => setOpened(false));

  return (
    <div ref={box} className={classes["phoneOnly"]}>
      <ActionIcon variant="subtle" aria-label={t("Menu")} aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <Glyph size={21} stroke={1.75} aria-hidden />
      </ActionIcon>
      {opened && (
        <nav aria-label={t("Menu")} className={classes["phoneMenu"]}>
          {navigation.map((item) => (
            <Link
              key={item.to}
              to={item.to}
              className={classes["phoneLink"]}
              aria-current={item.isHere(pathname) ? "page" : undefined}
              onClick={() => setOpened(false)}
            >
              {t(item.label)}
            </Link>
          ))}
          {children}
        </nav>
      )}
    </div>
  );
}

/** Escape closes, and so does pressing outside. */
function useClosedFromOutside(box: React.RefObject<HTMLElement | null>, opened: boolean, onClose: () => void): void {
  useEffect(() => {
    if (!opened) return undefined;
    const close = (event: Event) => {
      if (
        event instanceof KeyboardEvent
          ? event.key === "Escape"
          : !(event.target instanceof Node && box.current?.contains(event.target))
      )
        onClose();
    };
    document.addEventListener("keydown", close);
    document.addEventListener("pointerdown", close);
    return () => {
      document.removeEventListener("keydown", close);
      document.removeEventListener("pointerdown", close);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [opened]);
}
