import type { TestSnapshot } from "@web-tester/contracts/entities/snapshot";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { isNotFound, messageOf } from "../../api/api-error.js";
import { editedPreviewQuery, snapshotQuery } from "../../api/queries.js";
import { Empty, InlineError, Waiting } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { StoredFrame } from "../../ui/frame/stored-frame.js";
import { BackLink, Page } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import classes from "./render.module.css";

/**
 * A stored page over the whole window.
 * @param previewKey of an edited text in session storage, which is shown once in place of the stored one
 */
export function RenderPage({ id, previewKey }: { id: string; previewKey: string | null }) {
  const query = useQuery(snapshotQuery(id));
  const edited = useQuery({ ...editedPreviewQuery(id, previewKey ?? ""), enabled: previewKey !== null });
  const snapshot = query.data;
  usePageMeta(
    snapshot === undefined ? "Snapshot" : `Snapshot ${snapshot.number} of ${snapshot.testinstance.url}`,
    "A page as it looked when it was stored.",
    `/snapshots/${id}/render`,
  );
  if (query.isPending || (previewKey !== null && edited.isPending))
    return (
      <Page>
        <Waiting words="Loading snapshot…">{null}</Waiting>
      </Page>
    );
  const error = query.error ?? edited.error;
  if (snapshot === undefined || error !== null)
    return (
      <Page>
        <BackLink to={`/snapshots/${id}`}>Snapshot</BackLink>
        {isNotFound(error) ? (
          <Empty page title="Snapshot not found.">
            It may have been deleted.
          </Empty>
        ) : (
          <InlineError
            title="Failed to load snapshot"
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
    return (
      <Page>
        <BackLink to={`/snapshots/${snapshot.id}`}>Snapshot {snapshot.number}</BackLink>
        {address === null ? (
          <Empty page title="There is no page to show">
            {snapshot.error ?? "The page appears here as soon as it has been fetched."}
          </Empty>
        ) : (
          <Empty page title="Previews are disabled">
            Turn on “Keep assets” under Options of{" "}
            <Link to={`/objects/${object.id}`} className="link">
              {object.name}
            </Link>
            .
          </Empty>
        )}
      </Page>
    );
  return (
    <div className={classes["screen"]}>
      <div className={classes["bar"]}>
        <BackLink to={`/snapshots/${snapshot.id}`}>Snapshot {snapshot.number}</BackLink>
        <h1 className={classes["title"]}>{instance.name || instance.url}</h1>
        <span className={classes["note"]}>
          {edited !== null
            ? "Edited text, not stored"
            : wasEdited
              ? "The edited text was shown once; this is the stored page"
              : formatDate(snapshot.fetched_at ?? snapshot.created_at)}
        </span>
      </div>
      <div className={classes["frame"]}>
        <StoredFrame address={address} title={`Snapshot ${snapshot.number} as it looked`} />
      </div>
    </div>
  );
}
