import { ActionIcon } from "@mantine/core";
import { IconBell, IconKey, IconLanguage, IconMoon, IconSearch, IconSun } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { otherLanguage } from "../../texts/language.js";
import { t } from "../../texts/text.js";
import { BrandMark } from "./brand-mark.js";
import { navigation } from "./navigation.js";
import { languageNames, switchLanguage } from "./switch-language.js";
import { useTheme } from "./use-theme.js";
import classes from "./shell.module.css";

const PhoneMenu = lazy(() => import("./phone-menu.js"));

export function Header({ onSearch, onAccess }: { onSearch: () => void; onAccess: () => void }) {
  const navigate = useNavigate();
  // a button, because links in the header belong to the main navigation
  const notifications = () => void navigate("/notifications");
  return (
    <header className={classes["header"]} data-screen-only>
      <Link to="/" className={classes["brand"]}>
        <BrandMark size={20} />
        web-tester
      </Link>
      <MainNavigation />
      <button type="button" className={classes["search"]} onClick={onSearch}>
        <IconSearch size={15} aria-hidden />
        <span>{t("Go to object or page")}</span>
        <kbd className={classes["kbd"]}>Ctrl K</kbd>
      </button>
      <WideButtons onNotifications={notifications} onAccess={onAccess} />
      <ActionIcon
        variant="subtle"
        className={classes["phoneOnly"]}
        onClick={onSearch}
        aria-label={t("Go to object or page")}
      >
        <IconSearch size={21} stroke={1.75} aria-hidden />
      </ActionIcon>
      <Suspense fallback={<span className={classes["menuPlace"]} />}>
        <PhoneMenu onNotifications={notifications} onAccess={onAccess} />
      </Suspense>
    </header>
  );
}

interface ButtonsProps {
  onNotifications: () => void;
  onAccess: () => void;
}

/** The buttons beside the navigation in wide windows; the phone's menu has the same. */
function WideButtons({ onNotifications, onAccess }: ButtonsProps) {
  const { theme, toggle } = useTheme();
  const themeLabel = theme === "light" ? t("Switch to dark") : t("Switch to light");
  const ThemeIcon = theme === "light" ? IconSun : IconMoon;
  const other = otherLanguage();
  return (
    <>
      <HeaderButton label={t("Notifications")} onClick={onNotifications}>
        <IconBell size={17} stroke={1.75} aria-hidden />
      </HeaderButton>
      <HeaderButton label={t("API access")} onClick={onAccess}>
        <IconKey size={17} stroke={1.75} aria-hidden />
      </HeaderButton>
      <HeaderButton label={themeLabel} onClick={toggle}>
        <ThemeIcon size={17} stroke={1.75} aria-hidden />
      </HeaderButton>
      <HeaderButton label={languageNames[other]} onClick={switchLanguage} lang={other}>
        <IconLanguage size={17} stroke={1.75} aria-hidden />
      </HeaderButton>
    </>
  );
}

function MainNavigation() {
  const { pathname } = useLocation();
  return (
    <nav aria-label={t("Main")} className={classes["nav"]}>
      {navigation.map((item) => (
        <Link
          key={item.to}
          to={item.to}
          className={classes["navLink"]}
          aria-current={item.isHere(pathname) ? "page" : undefined}
        >
          {t(item.label)}
        </Link>
      ))}
    </nav>
  );
}

/** A button with only an icon, for wide windows. */
function HeaderButton({
  label,
  onClick,
  lang,
  children,
}: {
  label: string;
  onClick: () => void;
  lang?: string;
  children: React.ReactNode;
}) {
  return (
    <ActionIcon
      variant="subtle"
      className={classes["wideOnly"]}
      onClick={onClick}
      aria-label={label}
      title={label}
      lang={lang}
    >
      {children}
    </ActionIcon>
  );
}
