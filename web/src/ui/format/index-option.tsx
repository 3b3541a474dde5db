import { formatDate } from "./dates.js";
import { t } from "../../texts/text.js";

/** An index in a dropdown, with the time of the fetch that it mostly means: of a page that failed then, it is an older snapshot. @param history oldest first */
export function indexOption(history: readonly { readonly finished_at: string }[] = []) {
  return function IndexOption({ option }: { option: { value: string; label: string } }) {
    const fetched = history.at(-1 - Number(option.value));
    return (
      <span>
        {option.label}
        {fetched !== undefined && (
          <span className="label"> {t("about {at}", { at: formatDate(fetched.finished_at) })}</span>
        )}
      </span>
    );
  };
}
