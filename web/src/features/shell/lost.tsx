import { Button } from "@mantine/core";
import { useEffect } from "react";
import { useRouteError } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { isOutdated, mayReload, untilAnswered } from "./outdated.js";
import classes from "./shell.module.css";

/** An empty screen of full height, so that nothing below jumps when the real one appears. */
export const Blank = () => <div className={classes["blank"]} aria-busy="true" />;

/** Replaces a screen that failed: says so, shows why, and offers a way on. */
export function BrokenScreen() {
  const error = useRouteError();
  usePageMeta(t("Unexpected Application Error!"), t("This page could not be shown."), location.pathname);
  const isUnloaded = isOutdated(error);
  useReload(isUnloaded);
  return (
    <div className={classes["center"]} role="alert">
      <h1 className="title">{t("Unexpected Application Error!")}</h1>
      <p className="text-2">
        {isUnloaded
          ? t("This page could not be loaded. It is loaded again as soon as the server answers.")
          : t("This page could not be shown. Nothing that was stored is affected.")}
      </p>
      <pre className={classes["detail"]}>{messageOf(error)}</pre>
      <Button onClick={() => location.reload()} mt="md">
        {t("Reload")}
      </Button>
      <a href="/" className="link">
        {t("Go to Objects")}
      </a>
    </div>
  );
}

/** Reloads the page once the server answers, since there may be a new version. */
function useReload(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const stop = new AbortController();
    const ask = (signal: AbortSignal) => fetch(location.pathname, { method: "HEAD", cache: "no-store", signal });
    untilAnswered(ask, stop.signal).then(
      () => mayReload(sessionStorage, Date.now()) && location.reload(),
      () => undefined,
    );
    return () => stop.abort();
  }, [isWanted]);
}
