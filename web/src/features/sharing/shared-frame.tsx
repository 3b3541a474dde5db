import { Button } from "@mantine/core";
import type { SharedThing } from "@web-tester/contracts/entities/access";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { ApiError, messageOf } from "../../api/api-error.js";
import { sharedQuery } from "../../api/access-queries.js";
import { rich, t } from "../../texts/text.js";
import { InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { Page } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { Toasts } from "../../ui/toasts/toasts.js";
import classes from "./sharing.module.css";

/** The address of the screen that shows a shared thing. */
function addressOf({ kind, run_id: run, snapshot_id: a, other_id: b }: SharedThing): string {
  if (kind === "review") return `/runs/${run}/review`;
  return kind === "snapshot" ? `/snapshots/${a}` : `/diff?a=${a}&b=${b}`;
}

/**
 * Shows what a share link opens, and above it who shares it and until when.
 * @param hasSecret whether this page has a secret to ask with
 */
export function SharedFrame({ hasSecret, children }: { hasSecret: boolean; children: React.ReactNode }) {
  const query = useQuery({ ...sharedQuery(), enabled: hasSecret });
  const { pathname, hash } = useLocation();
  const navigate = useNavigate();
  const shared = query.data;
  const start = shared === undefined ? undefined : addressOf(shared);
  useEffect(() => {
    // the secret stays in the address, so that the page can be reloaded and passed on
    if (pathname === "/" && start !== undefined) void navigate(`${start}${hash}`, { replace: true });
  }, [pathname, hash, start, navigate]);
  return (
    <>
      <Bar shared={shared} start={start} />
      <main id="main" tabIndex={-1}>
        {!hasSecret && (
          <Ended title={t("This address is incomplete")} words={t("Open the link you were given again.")} />
        )}
        {hasSecret && query.isPending && (
          <Page>
            <Waiting words={t("Loading…")}>
              <RowSkeletons count={5} />
            </Waiting>
          </Page>
        )}
        {query.isError && <Fault error={query.error} onRetry={() => void query.refetch()} />}
        {shared !== undefined && <Suspense fallback={null}>{children}</Suspense>}
      </main>
      <Toasts />
    </>
  );
}

interface BarProps {
  /** Undefined until it is loaded. */
  shared: SharedThing | undefined;
  /** The address of the shared thing itself. */
  start: string | undefined;
}

function Bar({ shared, start }: BarProps) {
  const { pathname } = useLocation();
  return (
    <header className={classes["bar"]} data-screen-only>
      <span className={classes["brand"]}>web-tester</span>
      {shared !== undefined && (
        <span className={classes["who"]}>
          {rich("Shared by {who} until {until}, read-only: {what}", {
            who: <b>{shared.made_by}</b>,
            until: formatDate(shared.expires_at),
            what: shared.page === null ? shared.testobject.name : shared.page.name || shared.page.url,
          })}
        </span>
      )}
      {start !== undefined && pathname !== start.replace(/\?.*$/, "") && (
        <Button component={Link} to={start} size="xs" variant="default">
          {t("Back to the shared content")}
        </Button>
      )}
    </header>
  );
}

function Fault({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 404))
    return (
      <Page>
        <InlineError title={t("The shared content could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />
      </Page>
    );
  const { link, at } = endOf(error.details);
  const ask = t("Ask the person who gave you the link for a new one.");
  if (error.status === 404)
    return (
      <Ended
        title={t("What this link showed no longer exists")}
        words={t("It was deleted, or retention removed it.")}
      />
    );
  if (link === "expired") return <Ended title={t("This link expired on {at}", { at: formatDate(at) })} words={ask} />;
  if (link === "revoked") return <Ended title={t("This link was ended on {at}", { at: formatDate(at) })} words={ask} />;
  return <Ended title={t("There is no such link")} words={ask} />;
}

function Ended({ title, words }: { title: string; words: string }) {
  usePageMeta(title, words, "/shared");
  return (
    <div className={classes["center"]} role="alert">
      <h1 className="title">{title}</h1>
      <p className="text-2">{words}</p>
    </div>
  );
}

/** Shown for addresses that the link does not open. */
export function NotShared() {
  return <Ended title={t("The link does not show this")} words={t("It shows one thing and opens nothing else.")} />;
}

/** Reads from the server's error why and when a link ended. */
function endOf(details: unknown): { link: string | undefined; at: string | undefined } {
  const read = (name: string): string | undefined => {
    const value: unknown = typeof details === "object" && details !== null ? Reflect.get(details, name) : undefined;
    return typeof value === "string" ? value : undefined;
  };
  return { link: read("link"), at: read("at") };
}
