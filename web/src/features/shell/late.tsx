import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { sessionQuery } from "../../api/queries.js";
import { setMyRole } from "../../ui/access/may.js";
import { Reasons } from "../../ui/access/reasons.js";
import { Offline } from "./offline.js";
import { usePaper } from "./use-paper.js";

/** What the frame can do without for its first moment, and so is loaded after it. */
export default function Late() {
  usePaper();
  const session = useQuery(sessionQuery());
  const role = session.data?.actor?.role ?? null;
  useEffect(() => setMyRole(role), [role]);
  return (
    <>
      <Offline />
      <Reasons />
    </>
  );
}
