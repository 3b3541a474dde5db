import { useElementSize } from "@mantine/hooks";
import { StoredFrame } from "./stored-frame.js";
import classes from "./stored-frame.module.css";

/**
 * A stored page in a window as wide as the one that it was taken in, made small where there is less room, so that it is laid out, and
 * chooses its pictures, as it did then.
 * @param height that it takes here
 * @param windowWidth in CSS pixels of the page
 */
export function WindowFrame({
  address,
  title,
  height,
  windowWidth,
}: {
  address: string;
  title: string;
  height: number;
  windowWidth: number;
}) {
  const { ref, width } = useElementSize();
  const scale = width === 0 ? 1 : Math.min(1, width / windowWidth);
  return (
    <div ref={ref} className={classes["window"]} style={{ height }}>
      <div
        className={classes["scaled"]}
        style={{ width: windowWidth, height: height / scale, transform: `scale(${scale})` }}
      >
        <StoredFrame address={address} title={title} />
      </div>
    </div>
  );
}
