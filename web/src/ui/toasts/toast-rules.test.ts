import { expect, test } from "@jest/globals";
import { admitToast, emptyToastMemory, type Toast, toastKey, toastLeft, toastsOnScreenMax } from "./toast-rules.js";

const toast = (message: string, type: Toast["type"] = "info"): Toast => ({ type, message });

test("a first toast is shown", () =>
  expect(admitToast(emptyToastMemory, toast("Starting crawl..."), 0).show).toBe(true));

test("the same toast is suppressed while on screen, however long that is", () => {
  const first = admitToast(emptyToastMemory, toast("a"), 0);
  expect(admitToast(first.memory, toast("a"), 4_000).show).toBe(false);
  expect(admitToast(first.memory, toast("a"), 60_000).show).toBe(false);
});

test("after it left, the same toast is suppressed until 3 s have passed", () => {
  const gone = toastLeft(admitToast(emptyToastMemory, toast("a"), 1_000).memory, toastKey(toast("a")));
  expect(admitToast(gone, toast("a"), 3_999).show).toBe(false);
  expect(admitToast(gone, toast("a"), 4_000).show).toBe(true);
});

test("another type or another message is another toast", () => {
  const { memory } = admitToast(emptyToastMemory, toast("a", "info"), 0);
  expect(admitToast(memory, toast("a", "error"), 1).show).toBe(true);
  expect(admitToast(memory, toast("b", "info"), 1).show).toBe(true);
});

test("what takes something else back is another toast, whatever its words", () => {
  const { memory } = admitToast(emptyToastMemory, { ...toast("deleted"), takesBack: "1" }, 0);
  expect(admitToast(memory, { ...toast("deleted"), takesBack: "1" }, 1).show).toBe(false);
  expect(admitToast(memory, { ...toast("deleted"), takesBack: "2" }, 1).show).toBe(true);
});

test("entries are forgotten after 10 s", () => {
  const { memory } = admitToast(emptyToastMemory, toast("a"), 0);
  expect(admitToast(memory, toast("b"), 9_999).memory.shownAt.size).toBe(2);
  expect([...admitToast(memory, toast("b"), 10_000).memory.shownAt.keys()]).toEqual([toastKey(toast("b"))]);
});

test("a suppressed toast does not prolong its own suppression", () => {
  const gone = toastLeft(admitToast(emptyToastMemory, toast("a"), 0).memory, toastKey(toast("a")));
  const suppressed = admitToast(gone, toast("a"), 2_900);
  expect(admitToast(suppressed.memory, toast("a"), 3_000).show).toBe(true);
});

test("the oldest makes room when the screen is full", () => {
  let memory = emptyToastMemory;
  for (let index = 0; index < toastsOnScreenMax; index += 1) {
    const admitted = admitToast(memory, toast(`t${index}`), index);
    expect(admitted.evict).toEqual([]);
    memory = admitted.memory;
  }
  const next = admitToast(memory, toast("one more"), 10);
  expect(next.evict).toEqual([toastKey(toast("t0"))]);
  expect(next.memory.onScreen).toHaveLength(toastsOnScreenMax);
});

test("what takes something back leaves after what does not", () => {
  const said = [
    { ...toast("deleted"), takesBack: "1" },
    toast("a"),
    toast("b"),
    { ...toast("deleted"), takesBack: "2" },
  ];
  const full = said.reduce((memory, one, index) => admitToast(memory, one, index).memory, emptyToastMemory);
  const next = admitToast(full, toast("c"), 10);
  expect(next.evict).toEqual([toastKey(toast("a"))]);
  expect(next.memory.onScreen.map(({ key }) => key).at(0)).toBe(toastKey({ ...toast("deleted"), takesBack: "1" }));
});
