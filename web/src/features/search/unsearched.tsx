import { mayHelpAgain, messageOf } from "../../api/api-error.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { t } from "../../texts/text.js";
import classes from "./search.module.css";

/** The result of a failed search: empty, as the specification (§8) wants it, with a note that nothing was searched, and why. */
export function Unsearched({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className={classes["message"]}>
      <InlineError
        title={t("The search failed, so this says nothing about what is there")}
        detail={messageOf(error)}
        onRetry={mayHelpAgain(error) ? onRetry : undefined}
      />
      <Empty title={t("No results found")} />
    </div>
  );
}
