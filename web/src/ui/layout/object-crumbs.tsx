import { t } from "../../texts/text.js";
import { Crumbs } from "./page.js";

/** Breadcrumbs of a page below a test object, or of one about all of them. */
export const ObjectCrumbs = ({
  id,
  name,
  here,
}: {
  /** Id of the test object; null where the page is about all of them. */
  id: string | null;
  /** Its name; undefined until it is known. */
  name?: string | undefined;
  /** The name of this page. */
  here: string;
}) => (
  <Crumbs
    items={[
      { label: t("Objects"), to: "/" },
      ...(id === null ? [] : [{ label: name ?? "…", to: `/objects/${id}` }]),
      { label: here },
    ]}
  />
);
