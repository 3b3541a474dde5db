import { Skeleton } from "@mantine/core";
import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { isNotFound, mayHelpAgain, messageOf } from "../../api/api-error.js";
import { besideQuery } from "../../api/queries.js";
import { Empty, InlineError, useSlow } from "../../ui/feedback/states.js";
import { Page } from "../../ui/layout/page.js";
import { t } from "../../texts/text.js";
import classes from "./diff.module.css";

/** The state of the comparison. */
interface NoticesProps {
  diff: DiffHunks | undefined;
  instance: TestInstance | undefined;
  query: { isPending: boolean; isError: boolean; error: Error | null; refetch: () => unknown };
}

/** Says that the address does not name two snapshots; `canChoose` where it names one, whose page has the others. */
export function MissingParameters({ canChoose }: { canChoose: boolean }) {
  return (
    <Page wide>
      <div className={classes["message"]}>
        <InlineError
          tone="changed"
          title={t("Missing parameters")}
          detail={
            canChoose
              ? t(
                  "A comparison needs two snapshots. Choose them above, or on the page of a test object or an instance.",
                )
              : t("A comparison needs two snapshots. Choose them on the page of a test object or an instance.")
          }
        />
        <Link to="/" className="link">
          {t("Go to Objects")}
        </Link>
      </div>
    </Page>
  );
}

/** Says that the comparison is under way, failed, or is incomplete. */
export function Notices({ diff, instance, query }: NoticesProps) {
  const slow = useSlow(query.isPending);
  const isShown = diff !== undefined && !query.isError;
  return (
    <>
      {query.isPending && <Loading shown={slow} />}
      {query.isError && <Failed query={query} instance={instance} />}
      {isShown && areOtherModes(diff) && (
        <Caution
          title={t("The two snapshots were loaded in different ways")}
          detail={
            diff.a.fetch_mode_used === "http"
              ? t(
                  "Snapshot {number} was loaded over HTTP, snapshot {number2} in the browser: what scripts make of the page shows as changes.",
                  numbersOf(diff),
                )
              : t(
                  "Snapshot {number} was loaded in the browser, snapshot {number2} over HTTP: what scripts make of the page shows as changes.",
                  numbersOf(diff),
                )
          }
        />
      )}
      {isShown && diff.coarse && (
        <Caution
          title={t("This comparison is coarser than usual")}
          detail={t(
            "The pages are so large or so different that a limit was hit. What is shown is correct, but smaller differences may exist.",
          )}
        />
      )}
      {isShown && diff.truncated && (
        <Caution
          title={t("Not all changes are shown")}
          detail={t(
            "There are more changed lines than one comparison shows. The counts are of the whole; the list ends early.",
          )}
        />
      )}
    </>
  );
}

const numbersOf = ({ a, b }: DiffHunks) => ({ number: String(a.number), number2: String(b.number) });

/** Whether one was loaded over HTTP and the other one in the browser, and that is of importance for what is shown. */
const areOtherModes = ({ a, b, identical }: DiffHunks): boolean =>
  !identical && a.fetch_mode_used != null && b.fetch_mode_used != null && a.fetch_mode_used !== b.fetch_mode_used;

function Failed({ query, instance }: Omit<NoticesProps, "diff">) {
  return (
    <div className={classes["message"]}>
      <InlineError
        title={t("Error loading diff: {error}", { error: query.error === null ? "" : messageOf(query.error) })}
        detail={isNotFound(query.error) && instance !== undefined ? t("Choose others of this page above.") : undefined}
        onRetry={mayHelpAgain(query.error) ? () => void query.refetch() : undefined}
        action={
          instance === undefined &&
          isNotFound(query.error) && (
            <Link to="/" className="link">
              {t("Go to Objects")}
            </Link>
          )
        }
      />
    </div>
  );
}

/** A warning about the limits of a comparison. */
function Caution({ title, detail }: { title: string; detail: string }) {
  return (
    <div className={classes["message"]}>
      <InlineError tone="changed" title={title} detail={detail} />
    </div>
  );
}

/** Says that the two are identical, or only their HTML where files or headers differ nevertheless. */
export function Identical({ diff: { a, b, as } }: { diff: DiffHunks }) {
  const beside = useQuery(besideQuery({ a: a.id, b: b.id })).data;
  const differs = beside !== undefined && beside.files.length + beside.facts.length > 0;
  if (as !== "source")
    return (
      <Empty
        title={
          as === "text"
            ? t("The text of the two snapshots is identical")
            : t("Formatted, the two snapshots are identical")
        }
      >
        {as === "text"
          ? t(
              "A reader gets the same from both. Formatted and Source show what differs in the markup, if anything does.",
            )
          : t("They hold the same elements and texts. Source shows differences in white space, if there are any.")}
      </Empty>
    );
  return (
    <Empty title={differs ? t("The HTML of the two snapshots is identical") : t("The two snapshots are identical")}>
      {t("Every line of snapshot {number} is the same in snapshot {number2}.", {
        number: String(a.number),
        number2: String(b.number),
      })}
    </Empty>
  );
}

function Loading({ shown }: { shown: boolean }) {
  return (
    <div className={classes["loading"]} aria-busy="true" data-shown={shown || undefined}>
      <p className="label" role="status">
        {shown ? t("Loading diff…") : ""}
      </p>
      {Array.from({ length: 24 }, (_, index) => (
        <Skeleton key={index} height={10} radius={3} width={`${30 + ((index * 37) % 60)}%`} />
      ))}
    </div>
  );
}
