import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useParams } from "react-router";
import { testObjectQuery } from "../api/queries.js";
import { Missing } from "../ui/feedback/not-loaded.js";
import { usePageMeta } from "../ui/page-meta.js";
import { t } from "../texts/text.js";

/** Wraps screens about one test object: where it is gone they say so, instead of offering actions that must fail. */
export function Component() {
  const { id = "" } = useParams();
  const object = useQuery(testObjectQuery(useQueryClient(), id)).data;
  return object === null ? <Gone id={id} /> : <Outlet />;
}

function Gone({ id }: { id: string }) {
  const title = t("Test object not found.");
  usePageMeta(t("Test object"), title, `/objects/${id}`);
  return <Missing title={title} />;
}
