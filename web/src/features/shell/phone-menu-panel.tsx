import { IconBell, IconKey, IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";
import { useEffect } from "react";
import { Link, useLocation } from "react-router";
import { otherLanguage } from "../../texts/language.js";
import { t } from "../../texts/text.js";
import { navigation } from "./navigation.js";
import { languageNames, switchLanguage } from "./switch-language.js";
import { useTheme } from "./use-theme.js";
import classes from "./shell.module.css";

/** Actions of the menu besides its links. */
export interface MenuActs {
  onNotifications: () => void;
  onAccess: () => void;
}

interface Props extends MenuActs {
  box: React.RefObject<HTMLElement | null>;
  onClose: () => void;
}

/**
 * The opened menu of a phone; Escape, leaving it and navigating close it.
 * @param box contains the menu and its button
 */
export function PhoneMenuPanel({ box, onClose, onNotifications, onAccess }: Props) {
  const { pathname } = useLocation();
  const { theme, toggle } = useTheme();
  const ThemeIcon = theme === "light" ? IconSun : IconMoon;
  const other = otherLanguage();
  useLeaving(box, onClose);
  return (
    <nav aria-label={t("Menu")} className={classes["phoneMenu"]}>
      {navigation.map((item) => (
        <Link
          key={item.to}
          to={item.to}
          className={classes["phoneLink"]}
          aria-current={item.isHere(pathname) ? "page" : undefined}
          onClick={onClose}
        >
          {t(item.label)}
        </Link>
      ))}
      <button type="button" className={classes["phoneLink"]} onClick={onNotifications}>
        <IconBell size={17} aria-hidden />
        {t("Notifications")}
      </button>
      <button type="button" className={classes["phoneLink"]} onClick={onAccess}>
        <IconKey size={17} aria-hidden />
        {t("API access")}
      </button>
      <button type="button" className={classes["phoneLink"]} onClick={toggle}>
        <ThemeIcon size={17} aria-hidden />
        {theme === "light" ? t("Switch to dark") : t("Switch to light")}
      </button>
      <button type="button" className={classes["phoneLink"]} onClick={switchLanguage} lang={other}>
        <IconLanguage size={17} aria-hidden />
        {languageNames[other]}
      </button>
    </nav>
  );
}

/** Closes the menu on Escape, which returns the focus to its button, and on a touch outside. */
function useLeaving(box: React.RefObject<HTMLElement | null>, onClose: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      box.current?.querySelector("button")?.focus();
      onClose();
    };
    const onPointer = (event: PointerEvent) => {
      if (!(event.target instanceof Node && box.current?.contains(event.target))) onClose();
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("pointerdown", onPointer);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("pointerdown", onPointer);
    };
  }, [box, onClose]);
}
