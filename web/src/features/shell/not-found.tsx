import { Button } from "@mantine/core";
import { Link } from "react-router";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import classes from "./shell.module.css";

/** Shown for addresses without a screen. */
export function NotFound() {
  usePageMeta(t("Page not found"), t("There is no page at this address."), location.pathname);
  return (
    <div className={classes["center"]}>
      <h1 className="title">{t("Page not found")}</h1>
      <p className="text-2">
        {t("There is no page at this address. It may have been mistyped, or what it named was deleted.")}
      </p>
      <Button component={Link} to="/" mt="md">
        {t("Go to Objects")}
      </Button>
    </div>
  );
}
