import { lazy, Suspense, useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Outlet, ScrollRestoration } from "react-router";
import { onRefusal, wasRefused } from "../../api/api-auth.js";
import { useFocusKept } from "../../ui/keys/use-focus-kept.js";
import { keyOf, useFilterKey, useKeys, useRowKeys } from "../../ui/keys/use-keys.js";
import { Toasts } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { Footer } from "./footer.js";
import { Header } from "./header.js";
import { placeKey } from "../../ui/layout/places.js";
import { ScrollPlace } from "./scroll-place.js";
import { isAwaited, keepTyped, takeTyped } from "./typed-ahead.js";
import { useTheme } from "./use-theme.js";
import classes from "./shell.module.css";

const loadPalette = () => import("./command-palette.js");
const CommandPalette = lazy(loadPalette);
const AccessDialog = lazy(() => import("./access-dialog.js"));
const KeysHelp = lazy(() => import("./keys-help.js"));
const Late = lazy(() => import("./late.js"));

/** The frame of every page; `floating` stays mounted while pages change. */
export function Shell({ children, floating }: { children?: React.ReactNode; floating?: React.ReactNode }) {
  const [helpShown, setHelpShown] = useState(false);
  const access = useAccess();
  const { toggle } = useTheme();
  const { isWanted, search } = usePalette();
  const closeHelp = () => setHelpShown(false);
  // while the list of keys is still being loaded there is no dialog that could hear Escape
  useKeys({ t: toggle, "?": () => setHelpShown(true), ...(helpShown && { Escape: closeHelp }) });
  useFilterKey();
  useRowKeys();
  useFocusKept();
  return (
    <div className={classes["frame"]}>
      <a href="#main" className={classes["skip"]} data-screen-only>
        {t("Skip to content")}
      </a>
      <Header onSearch={search} onAccess={access.open} />
      <Suspense fallback={null}>
        <Late />
      </Suspense>
      <main id="main" className={classes["main"]} tabIndex={-1}>
        {children ?? <Outlet />}
        <div id="floats" data-screen-only />
        <div data-screen-only>{floating}</div>
      </main>
      <Footer />
      <Toasts />
      <Suspense>
        {helpShown && <KeysHelp opened onClose={closeHelp} />}
        {access.opened && <AccessDialog opened onClose={access.close} />}
        {isWanted && <CommandPalette />}
      </Suspense>
      <ScrollRestoration getKey={placeKey} />
      <ScrollPlace />
    </div>
  );
}

/** The palette, whose code is loaded when it is asked for by a click or Ctrl K; it opens as soon as it is loaded. */
function usePalette() {
  const [isWanted, setWanted] = useState(false);
  const search = useCallback(() => {
    if (document.querySelector("[data-palette] [role=dialog]") !== null) return;
    setWanted(true);
    keepTyped();
    loadPalette().then(
      (palette) => window.setTimeout(() => isAwaited() && palette.openPalette(), 0),
      () => takeTyped(),
    );
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && keyOf(event).toLowerCase() === "k") {
        event.preventDefault();
        search();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [search]);
  return { isWanted, search };
}

/** State of the dialog for API access: opened by hand, and once whenever the server turns this browser away. */
function useAccess(): { opened: boolean; open: () => void; close: () => void } {
  const refused = useSyncExternalStore(onRefusal, wasRefused);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    if (refused) setOpened(true);
  }, [refused]);
  return { opened, open: () => setOpened(true), close: () => setOpened(false) };
}
