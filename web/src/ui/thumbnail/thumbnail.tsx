import { useEffect, useRef, useState } from "react";
import classes from "./thumbnail.module.css";
import { takeTurn } from "./turns.js";

/** A picture is requested only after being in view for this long, because drawing a new one costs a page load in a browser. */
const restMs = 800;

/** A thumbnail of a stored page, requested once it has been in view for a moment; an empty frame where there is none. */
export function Thumbnail({
  address,
  label,
  large = false,
}: {
  address: string | null;
  label: string;
  large?: boolean;
}) {
  const frame = useRef<HTMLSpanElement>(null);
  const [isWanted, setWanted] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const { isTurn, isOver } = useTurn(isWanted ? address : null);
  useEffect(() => {
    const element = frame.current;
    if (element === null || address === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = new IntersectionObserver(([entry]) => {
      clearTimeout(timer);
      if (entry?.isIntersecting === true) timer = setTimeout(() => setWanted(true), restMs);
    });
    watch.observe(element);
    return () => {
      clearTimeout(timer);
      watch.disconnect();
    };
  }, [address]);
  return (
    <span ref={frame} className={classes["frame"]} data-large={large || undefined}>
      {isTurn && address !== null && failed !== address && (
        <img
          src={address}
          alt={label}
          decoding="async"
          onLoad={isOver}
          onError={() => {
            isOver();
            setFailed(address);
          }}
        />
      )}
    </span>
  );
}

/** Whether it is the turn of the picture at an address to be loaded, and what to call when it is there, or never will be. */
function useTurn(address: string | null): { isTurn: boolean; isOver: () => void } {
  const [begun, setBegun] = useState<string | null>(null);
  const giveUp = useRef<() => void>(undefined);
  useEffect(() => {
    if (address === null) return undefined;
    const over = takeTurn(() => setBegun(address));
    giveUp.current = over;
    return over;
  }, [address]);
  return { isTurn: address !== null && begun === address, isOver: () => giveUp.current?.() };
}
