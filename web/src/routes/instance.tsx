import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "react-router";
import { instanceQuery, testObjectQuery } from "../api/queries.js";
import { InstancePage } from "../features/instance/instance-page.js";
import { useLivePage } from "../features/live/use-live-page.js";

export function Component() {
  const { id = "" } = useParams();
  const client = useQueryClient();
  const objectId = useInfiniteQuery(instanceQuery(id)).data?.pages[0]?.testobject.id;
  // Its progress is what tells the end of a fetch from its middle.
  useQuery({ ...testObjectQuery(client, objectId ?? ""), enabled: objectId !== undefined });
  useLivePage(objectId, id);
  return <InstancePage key={id} id={id} />;
}
