import { Button } from "@mantine/core";
import { useEffect } from "react";
import { Link, useRouteError } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { isOutdated, mayReload } from "./outdated.js";
import classes from "./shell.module.css";

/** As tall as a screen, so that nothing below jumps when one comes. */
export const Blank = () => <div className={classes["blank"]} aria-busy="true" />;

/** An address that no screen has. */
export function NotFound() {
  usePageMeta("Page not found", "There is no page at this address.", location.pathname);
  return (
    <div className={classes["center"]}>
      <h1 className="title">Page not found</h1>
      <p className="text-2">
        There is no page at this address. It may have been mistyped, or what it named was deleted.
      </p>
      <Button component={Link} to="/" mt="md">
        Go to Objects
      </Button>
    </div>
  );
}

/** A screen that broke: says so, shows why, offers a way on. */
export function BrokenScreen() {
  const error = useRouteError();
  usePageMeta("Unexpected Application Error!", "This page could not be shown.", location.pathname);
  useEffect(() => {
    if (isOutdated(error) && mayReload(sessionStorage, Date.now())) location.reload();
  }, [error]);
  return (
    <div className={classes["center"]} role="alert">
      <h1 className="title">Unexpected Application Error!</h1>
      <p className="text-2">This page could not be shown. Nothing that was stored is affected.</p>
      <pre className={classes["detail"]}>{messageOf(error)}</pre>
      <Button onClick={() => location.reload()} mt="md">
        Reload
      </Button>
      <a href="/" className="link">
        Go to Objects
      </a>
    </div>
  );
}
