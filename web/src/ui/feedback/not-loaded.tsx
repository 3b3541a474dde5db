import { Link } from "react-router";
import { rich, t } from "../../texts/text.js";
import { Crumbs, Page, PageHead } from "../layout/page.js";
import { Empty, InlineError } from "./states.js";
import classes from "./states.module.css";

interface Props {
  /** What kind of page it is. */
  here: string;
  /** Says what is not there; undefined where it could not be read for another reason. */
  missing: string | undefined;
  /** Says what could not be read. */
  failed: string;
  detail: string | undefined;
  onRetry: () => void;
}

/** A page whose subject could not be read: why, the way back, and a way to try again; what is gone is not asked for again. */
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

/** A page whose subject is not there, or no longer: `title` says so. */
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
