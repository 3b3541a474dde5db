import { mayHelpAgain, messageOf } from "../../api/api-error.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { t } from "../../texts/text.js";

/** A search that failed has an empty result (specification §8); beside it stands that nobody looked, and why. */
export function Unsearched({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <>
      <InlineError
        title={t("The search failed, so this says nothing about what is there")}
        detail={messageOf(error)}
        onRetry={mayHelpAgain(error) ? onRetry : undefined}
      />
      <Empty title={t("No results found")} />
    </>
  );
}
