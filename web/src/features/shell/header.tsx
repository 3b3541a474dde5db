import { ActionIcon } from "@mantine/core";
import { IconKey, IconMoon, IconSearch, IconSun } from "@tabler/icons-react";
import { Link, useLocation } from "react-router";
import { BrandMark } from "./brand-mark.js";
import { navigation } from "./navigation.js";
import { PhoneMenu } from "./phone-menu.js";
import { useTheme } from "./use-theme.js";
import classes from "./shell.module.css";

export function Header({ onSearch, onAccess }: { onSearch: () => void; onAccess: () => void }) {
  const { theme, toggle } = useTheme();
  const { pathname } = useLocation();
  const themeLabel = theme === "light" ? "Switch to dark" : "Switch to light";
  const ThemeIcon = theme === "light" ? IconSun : IconMoon;
  return (
    <header className={classes["header"]}>
      <Link to="/" className={classes["brand"]}>
        <BrandMark size={20} />
        web-tester
      </Link>
      <nav aria-label="Main" className={classes["nav"]}>
        {navigation.map((item) => (
          <Link
            key={item.to}
            to={item.to}
            className={classes["navLink"]}
            aria-current={item.isHere(pathname) ? "page" : undefined}
          >
            {item.label}
          </Link>
        ))}
      </nav>
      <button type="button" className={classes["search"]} onClick={onSearch}>
        <IconSearch size={15} aria-hidden />
        <span>Go to object or page</span>
        <kbd className={classes["kbd"]}>Ctrl K</kbd>
      </button>
      <ActionIcon
        variant="subtle"
        className={classes["wideOnly"]}
        onClick={onAccess}
        aria-label="API access"
        title="API access"
      >
        <IconKey size={17} stroke={1.75} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        className={classes["wideOnly"]}
        onClick={toggle}
        aria-label={themeLabel}
        title={themeLabel}
      >
        <ThemeIcon size={17} stroke={1.75} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        className={classes["phoneOnly"]}
        onClick={onSearch}
        aria-label="Go to object or page"
      >
        <IconSearch size={21} stroke={1.75} aria-hidden />
      </ActionIcon>
      <PhoneMenu>
        <button type="button" className={classes["phoneLink"]} onClick={onAccess}>
          <IconKey size={17} aria-hidden />
          API access
        </button>
        <button type="button" className={classes["phoneLink"]} onClick={toggle}>
          <ThemeIcon size={17} aria-hidden />
          {themeLabel}
        </button>
      </PhoneMenu>
    </header>
  );
}
