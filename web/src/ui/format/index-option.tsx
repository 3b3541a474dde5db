import { formatDate } from "./dates.js";
import { t } from "../../texts/text.js";
import classes from "./index-option.module.css";

/**
 * Makes the renderer of indices in a dropdown, with the time of the fetch that an index mostly refers to; for a page that failed then,
 * it refers to an older snapshot.
 * @param history oldest first
 */
export function indexOption(history: readonly { readonly finished_at: string }[] = []) {
  return function IndexOption({ option }: { option: { value: string; label: string } }) {
    // the choice "All Snapshots" is not an index
    const index = Number(option.value);
    const fetched = Number.isNaN(index) ? undefined : history.at(-1 - index);
    return (
      <span>
        {option.label}
        {fetched !== undefined && (
          // drawn by CSS, because the option's text is its name wherever it is read
          <span className={classes["at"]} data-at={t("about {at}", { at: formatDate(fetched.finished_at) })} />
        )}
      </span>
    );
  };
}
