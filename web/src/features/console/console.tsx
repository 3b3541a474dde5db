import { IconTerminal2 } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useKeys } from "../../ui/keys/use-keys.js";
import { t } from "../../texts/text.js";
import { openConsole, useConsole } from "./console-store.js";
import { unreadLabel } from "./unread.js";
import classes from "./console.module.css";

const ConsoleModal = lazy(() => import("./console-modal.js"));

/** The floating button on every page, and the window that it opens. */
export function Console() {
  const [wasOpened, setWasOpened] = useState(false);
  const unread = useConsole((state) => unreadLabel(state.unread));
  const open = () => {
    setWasOpened(true);
    openConsole();
  };
  useKeys({ c: open });
  return (
    <>
      <button type="button" className={classes["button"]} onClick={open} title={t("Live job console (c)")}>
        <IconTerminal2 size={17} stroke={1.75} aria-hidden />
        {t("Console")}
        {unread !== undefined && (
          <span className={classes["badge"]}>
            {unread}
            <span className="sr-only"> {t("unread lines")}</span>
          </span>
        )}
      </button>
      {wasOpened && (
        <Suspense>
          <ConsoleModal />
        </Suspense>
      )}
    </>
  );
}
