import { useNetwork } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { IconAlertTriangle, IconPlugConnectedX, IconWifiOff } from "@tabler/icons-react";
import { useEffect, useSyncExternalStore } from "react";
import { useNavigation } from "react-router";
import { call } from "../../api/client.js";
import { configQuery, sessionQuery } from "../../api/queries.js";
import { readAgainWhenBack } from "../../api/read-again.js";
import { doubt, isDoubtedSince, onDoubt, patienceMs } from "../../api/silence.js";
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
      <Away />
      <DiskFull />
      <Reasons />
    </>
  );
}

/** How often it is asked whether the server answers, without a network and with one, in ms. */
const askedEachMs = { offline: 10_000, online: 3_000 };

/** How long the answer may take, in ms; it is a few lines from memory. */
const answerMs = 3_000;

/**
 * Says that the machine has no network, or that the server does not answer: what is shown may be old, and is read again when that is over.
 * A product on the machine itself answers without a network too, and then nothing is amiss.
 */
function Away() {
  useDoubtOfScreens();
  const { online } = useNetwork();
  const doubted = useSyncExternalStore(onDoubt, isDoubtedSince);
  const answers = useQuery({
    queryKey: ["answers", doubted],
    // no error, as one would be forgotten while it is asked again, and the notice would come and go
    queryFn: () =>
      call("getConfig", { signal: AbortSignal.timeout(answerMs) }).then(
        () => true,
        () => false,
      ),
    enabled: !online || doubted !== null,
    networkMode: "always",
    retry: false,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: askedEachMs[online ? "online" : "offline"],
  });
  if ((online && doubted === null) || answers.data !== false) return null;
  return online ? (
    <Notice role="status" Icon={IconPlugConnectedX}>
      {t("The server does not answer. What is shown may be old; this page goes on by itself when the server is back.")}
    </Notice>
  ) : (
    <Notice role="status" Icon={IconWifiOff}>
      {t(
        "You are offline. What is shown may be old, and nothing can be started; it goes on by itself when the network is back.",
      )}
    </Notice>
  );
}

/** Doubts the server while the code of a screen does not come, either. */
function useDoubtOfScreens(): void {
  const { state } = useNavigation();
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = window.setTimeout(doubt, patienceMs);
    return () => window.clearTimeout(timer);
  }, [state]);
}

/** How often it is asked whether there is room on the disk, in ms: while there is, and while there is none. */
const askedForRoomEachMs = { roomy: 60_000, full: 10_000 };

/** Says that the disk under the product is full, also where nobody starts anything: what runs by itself fails too until there is room. */
function DiskFull() {
  const { data } = useQuery({
    ...configQuery(),
    refetchInterval: ({ state }) =>
      state.data?.disk_full === true ? askedForRoomEachMs.full : askedForRoomEachMs.roomy,
  });
  if (data?.disk_full !== true) return null;
  return (
    <Notice role="alert" Icon={IconAlertTriangle}>
      {t(
        "The disk of the data directory is full. Nothing can be stored until some space is freed; what waits goes on by itself then.",
      )}
    </Notice>
  );
}

interface NoticeProps {
  role: "status" | "alert";
  Icon: typeof IconWifiOff;
  children: React.ReactNode;
}

/** A bar below the header, on every screen. */
function Notice({ role, Icon, children }: NoticeProps) {
  return (
    <p className={classes["notice"]} role={role}>
      <Icon size={16} aria-hidden /> {children}
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
