/**
 * How many pictures are asked for at once. Drawing one may take seconds, and a browser has six connections to a server: with all of them waiting
 * for pictures, a click on Stop would wait as well.
 */
const atOnceMax = 2;

const waiting: (() => void)[] = [];
let taken = 0;

/**
 * Calls `begin` as soon as it is this one's turn.
 * @returns a function that gives the turn to the next one, or leaves the queue; to be called once it is over
 */
export function takeTurn(begin: () => void): () => void {
  let state: "waiting" | "begun" | "over" = "waiting";
  const start = () => {
    state = "begun";
    begin();
  };
  if (taken < atOnceMax) {
    taken += 1;
    start();
  } else waiting.push(start);
  return () => {
    if (state === "waiting") waiting.splice(waiting.indexOf(start), 1);
    else if (state === "begun") {
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    }
    state = "over";
  };
}
