import { t } from "../../texts/text.js";
import { Crumbs } from "./page.js";

/** The way to a page below a test object, or to one about all of them. */
export const ObjectCrumbs = ({
  id,
  name,
  here,
}: {
  /** Of the test object; null where the page is about all of them. */
  id: string | null;
  /** Undefined until it is known. */
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
