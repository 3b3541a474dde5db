import { useNetwork } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { IconWifiOff } from "@tabler/icons-react";
import { useEffect } from "react";
import { call } from "../../api/client.js";
import { sessionQuery } from "../../api/queries.js";
import { readAgainWhenBack } from "../../api/read-again.js";
import { setMyRole } from "../../ui/access/may.js";
import { Reasons } from "../../ui/access/reasons.js";
import { t } from "../../texts/text.js";
import classes from "./shell.module.css";

/** Parts of the frame that are not needed at first, and so are loaded afterwards. */
export default function Late() {
  usePaper();
  const session = useQuery(sessionQuery());
  const role = session.data?.actor?.role ?? null;
  useEffect(() => setMyRole(role), [role]);
  const client = useQueryClient();
  useEffect(() => readAgainWhenBack(client), [client]);
  return (
    <>
      <Offline />
      <Reasons />
    </>
  );
}

/** How often it is asked whether the product answers without a network. */
const askedEachMs = 10_000;

/**
 * Says that the machine has no network: what is shown may be old, and is read again when it is back. A product on the machine itself
 * answers all the same, and then nothing is amiss.
 */
function Offline() {
  const { online } = useNetwork();
  const answers = useQuery({
    queryKey: ["answers"],
    queryFn: ({ signal }) => call("getConfig", { signal }),
    enabled: !online,
    networkMode: "always",
    retry: false,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: askedEachMs,
  });
  if (online || !answers.isError) return null;
  return (
    <p className={classes["offline"]} role="status">
      <IconWifiOff size={16} aria-hidden />{" "}
      {t(
        "You are offline. What is shown may be old, and nothing can be started; it goes on by itself when the network is back.",
      )}
    </p>
  );
}

const scheme = "data-mantine-color-scheme";

/** Switches to the light theme while printing. */
function usePaper(): void {
  useEffect(() => {
    const root = document.documentElement;
    let before: string | null = null;
    const begin = () => {
      before ??= root.getAttribute(scheme);
      root.setAttribute(scheme, "light");
    };
    const end = () => {
      if (before !== null) root.setAttribute(scheme, before);
      before = null;
    };
    const media = window.matchMedia("print");
    const follow = ({ matches }: MediaQueryListEvent) => (matches ? begin() : end());
    media.addEventListener("change", follow);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      media.removeEventListener("change", follow);
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
}
