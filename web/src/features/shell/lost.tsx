import { Button } from "@mantine/core";
import { useEffect } from "react";
import { useRouteError } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { isOutdated, mayReload } from "./outdated.js";
import classes from "./shell.module.css";

/** As tall as a screen, so that nothing below jumps when one comes. */
export const Blank = () => <div className={classes["blank"]} aria-busy="true" />;

/** A screen that broke: says so, shows why, offers a way on. */
export function BrokenScreen() {
  const error = useRouteError();
  usePageMeta(t("Unexpected Application Error!"), t("This page could not be shown."), location.pathname);
  useEffect(() => {
    if (isOutdated(error) && mayReload(sessionStorage, Date.now())) location.reload();
  }, [error]);
  return (
    <div className={classes["center"]} role="alert">
      <h1 className="title">{t("Unexpected Application Error!")}</h1>
      <p className="text-2">{t("This page could not be shown. Nothing that was stored is affected.")}</p>
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
