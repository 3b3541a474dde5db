import type { TestSnapshot } from "@web-tester/contracts/entities/snapshot";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { isNotFound, messageOf } from "../../api/api-error.js";
import { editedPreviewQuery, snapshotQuery } from "../../api/queries.js";
import { reasonOf } from "../../api/reasons.js";
import { Empty, InlineError, Waiting } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { WindowFrame } from "../../ui/frame/window-frame.js";
import { BackLink, Page } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { rich, t } from "../../texts/text.js";
import classes from "./render.module.css";

/**
 * A stored page in the whole window.
 * @param previewKey of an edited text in session storage, which is shown once in place of the stored one
 */
export function RenderPage({ id, previewKey }: { id: string; previewKey: string | null }) {
  const query = useQuery(snapshotQuery(id));
  const edited = useQuery({ ...editedPreviewQuery(id, previewKey ?? ""), enabled: previewKey !== null });
  const snapshot = query.data;
  usePageMeta(
    snapshot === undefined
      ? t("Snapshot")
      : t("Snapshot {number} of {url}", { number: String(snapshot.number), url: snapshot.testinstance.url }),
    t("A page as it looked when it was stored."),
    `/snapshots/${id}/render`,
  );
  if (query.isPending || (previewKey !== null && edited.isPending))
    return (
      <Page>
        <Waiting words={t("Loading snapshot…")}>{null}</Waiting>
      </Page>
    );
  const error = query.error ?? edited.error;
  if (snapshot === undefined || error !== null)
    return (
      <Page>
        <BackLink to={`/snapshots/${id}`}>{t("Snapshot")}</BackLink>
        {isNotFound(error) ? (
          <Empty page title={t("Snapshot not found.")}>
            {t("It may have been deleted.")}
          </Empty>
        ) : (
          <InlineError
            title={t("Failed to load snapshot")}
            detail={error === null ? undefined : messageOf(error)}
            onRetry={() => void query.refetch().then(() => edited.refetch())}
          />
        )}
      </Page>
    );
  return <Shown snapshot={snapshot} edited={edited.data ?? null} wasEdited={previewKey !== null} />;
}

function Shown({ snapshot, edited, wasEdited }: { snapshot: TestSnapshot; edited: string | null; wasEdited: boolean }) {
  const { testobject: object, testinstance: instance } = snapshot;
  const address = edited ?? snapshot.render;
  if (!object.asset_snapshots || address === null)
    return <NothingToShow snapshot={snapshot} isMissing={address === null} />;
  return (
    <div className={classes["screen"]}>
      <div className={classes["bar"]}>
        <BackLink to={`/snapshots/${snapshot.id}`}>
          {t("Snapshot {number}", { number: String(snapshot.number) })}
        </BackLink>
        <h1 className={classes["title"]}>{instance.name || instance.url}</h1>
        <span className={classes["note"]}>
          {edited !== null
            ? t("Edited text, not stored")
            : wasEdited
              ? t("The edited text was shown once; this is the stored page")
              : formatDate(snapshot.fetched_at ?? snapshot.created_at)}
        </span>
      </div>
      <div className={classes["frame"]}>
        <WindowFrame
          address={address}
          viewport={snapshot.viewport}
          title={t("Snapshot {number} as it looked", { number: String(snapshot.number) })}
        />
      </div>
    </div>
  );
}

/** Says that there is no page to show, or that what it looks like is not stored. */
function NothingToShow({ snapshot, isMissing }: { snapshot: TestSnapshot; isMissing: boolean }) {
  const { testobject: object } = snapshot;
  return (
    <Page>
      <BackLink to={`/snapshots/${snapshot.id}`}>
        {t("Snapshot {number}", { number: String(snapshot.number) })}
      </BackLink>
      {isMissing ? (
        <Empty page title={t("There is no page to show")}>
          {reasonOf(snapshot) ?? t("The page appears here as soon as it has been fetched.")}
        </Empty>
      ) : (
        <Empty page title={t("Previews are disabled")}>
          {rich("Turn on “Keep assets” under Options of {name}.", {
            name: (
              <Link to={`/objects/${object.id}`} className="link">
                {object.name}
              </Link>
            ),
          })}
        </Empty>
      )}
    </Page>
  );
}
