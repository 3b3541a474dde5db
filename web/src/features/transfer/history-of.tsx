import { useQuery, useQueryClient } from "@tanstack/react-query";
import { testObjectsQuery } from "../../api/queries.js";
import { t } from "../../texts/text.js";
import { shortUrl } from "../../ui/format/words.js";
import { SearchableSelect } from "../../ui/searchable-select.js";

/** The choice for the site of the archive's first page, whose test object is created if there is none. */
export const ofFirstPage = "first-page";

interface HistoryOfProps {
  value: string;
  disabled: boolean;
  onChange: (objectId: string) => void;
}

/** Selects the test object that a web archive is imported to. */
export function HistoryOf({ value, disabled, onChange }: HistoryOfProps) {
  const client = useQueryClient();
  const objects = useQuery(testObjectsQuery(client));
  return (
    <SearchableSelect
      label={t("History of")}
      value={value}
      disabled={disabled}
      onChange={(picked) => onChange(picked ?? ofFirstPage)}
      loading={objects.isPending}
      choices={[
        { value: ofFirstPage, label: t("The site of the archive's first page") },
        ...(objects.data ?? []).map(({ id, name, url }) => ({ value: id, label: name, note: shortUrl(url) })),
      ]}
    />
  );
}
