import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "react-router";
import { instanceQuery, testObjectQuery } from "../api/queries.js";
import { InstancePage } from "../features/instance/instance-page.js";
import { RemovalNotice } from "../features/object/removal-notice.js";
import { useLivePage } from "../features/live/use-live-page.js";

export function Component() {
  const { id = "" } = useParams();
  const client = useQueryClient();
  const instance = useInfiniteQuery(instanceQuery(id)).data?.pages[0];
  const objectId = instance?.testobject.id;
  // The object's progress tells when a fetch has ended.
  useQuery({ ...testObjectQuery(client, objectId ?? ""), enabled: objectId !== undefined });
  useLivePage(objectId, id);
  const removal = instance?.removal ?? null;
  const notice = removal !== null && <RemovalNotice removal={removal} name={instance?.testobject.name ?? ""} />;
  return <InstancePage key={id} id={id} notice={notice} />;
}
