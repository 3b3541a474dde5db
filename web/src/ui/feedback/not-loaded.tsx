import { Link } from "react-router";
import { rich, t } from "../../texts/text.js";
import { Crumbs, Page, PageHead } from "../layout/page.js";
import { Empty, InlineError } from "./states.js";
import classes from "./states.module.css";

interface Props {
  /** The kind of page, for the breadcrumb and title. */
  here: string;
  /** Says that the subject does not exist; undefined where it could not be read for another reason. */
  missing: string | undefined;
  /** Says what could not be read. */
  failed: string;
  detail: string | undefined;
  onRetry: () => void;
}

/** A page whose subject could not be read: says why, links back, and offers to try again unless the subject is gone. */
export function NotLoaded({ here, missing, failed, detail, onRetry }: Props) {
  if (missing !== undefined) return <Missing title={missing} />;
  return (
    <Page>
      <PageHead above={<Crumbs items={[{ label: t("Objects"), to: "/" }, { label: here }]} />} title={here} />
      <div className={classes["below"]}>
        <InlineError title={failed} detail={detail} onRetry={onRetry} />
      </div>
    </Page>
  );
}

/** A page whose subject does not exist, or no longer: `title` says so. */
export const Missing = ({ title }: { title: string }) => (
  <Page>
    <Empty page title={title}>
      {rich("It may have been deleted. {Go}", {
        Go: (
          <Link to="/" className="link">
            {t("Go to Objects")}
          </Link>
        ),
      })}
    </Empty>
  </Page>
);
