import type { PictureRegion } from "@web-tester/contracts/entities/compare";
import { windowOf } from "../../../ui/frame/window-frame.js";
import { t } from "../../../texts/text.js";
import type { SheetSide } from "./sheets-props.js";
import classes from "./visual.module.css";

/** Height of a page that no browser has measured; a taller page scrolls inside its frame. */
const unknownHeight = 4_000;

/** Width of the page's layout: that of its picture, which equals the viewport's unless something is wider. */
export const sheetWidth = ({ side, picture }: SheetSide): number => picture?.width ?? windowOf(side.viewport).width;

interface Props extends SheetSide {
  letter: "A" | "B";
  asPicture: boolean;
  scale: number;
  regions?: readonly PictureRegion[];
  mask?: string | null;
  current?: number;
  onPick?: (region: number) => void;
}

/** One page at its full height, as a picture or in a sandboxed frame, with differing regions outlined and numbered. */
export function Sheet({
  side,
  frame,
  picture,
  letter,
  asPicture,
  scale,
  regions = [],
  mask = null,
  current,
  onPick,
}: Props) {
  const width = sheetWidth({ side, frame, picture });
  const height = picture === undefined ? unknownHeight : asPicture ? picture.height : picture.pageHeight;
  return (
    <div className={classes["sheet"]} style={{ width: width * scale, height: height * scale }}>
      <Drawn
        side={side}
        frame={frame}
        picture={picture}
        letter={letter}
        asPicture={asPicture}
        scale={scale}
        width={width}
        height={height}
      />
      {mask !== null && <img className={classes["mask"]} src={mask} alt="" style={{ width: width * scale }} />}
      {regions.map((region, index) => (
        <Outline
          key={`${region.x} ${region.y}`}
          region={region}
          index={index}
          scale={scale}
          isCurrent={index === current}
          onPick={() => onPick?.(index)}
        />
      ))}
    </div>
  );
}

interface DrawnProps extends Pick<Props, "side" | "frame" | "picture" | "letter" | "asPicture" | "scale"> {
  width: number;
  height: number;
}

/** The page itself, as a picture or in a frame. */
function Drawn({ side, frame, picture, letter, asPicture, scale, width, height }: DrawnProps) {
  const name = t("Snapshot {number} ({letter})", { number: String(side.number), letter });
  if (asPicture && picture !== undefined)
    return (
      <img
        src={picture.address}
        alt={t("{name} as a browser draws it", { name })}
        width={width * scale}
        height={picture.height * scale}
      />
    );
  return (
    // The key makes a new frame for each address: one whose address changes while it loads may end up with the first (seen in Chromium 156).
    <iframe
      key={frame}
      title={name}
      src={frame}
      sandbox=""
      referrerPolicy="no-referrer"
      style={{ width, height, transform: `scale(${scale})` }}
    />
  );
}

interface OutlineProps {
  region: PictureRegion;
  index: number;
  scale: number;
  isCurrent: boolean;
  onPick: () => void;
}

/** The outline of a differing region, with its number. */
function Outline({ region, index, scale, isCurrent, onPick }: OutlineProps) {
  return (
    <button
      type="button"
      className={classes["region"]}
      data-current={isCurrent || undefined}
      aria-label={t("Region {index}", { index: index + 1 })}
      aria-current={isCurrent}
      onClick={onPick}
      style={{
        left: region.x * scale - 4,
        top: region.y * scale - 4,
        width: region.width * scale + 8,
        height: region.height * scale + 8,
      }}
    >
      <span className={classes["number"]}>{index + 1}</span>
    </button>
  );
}
