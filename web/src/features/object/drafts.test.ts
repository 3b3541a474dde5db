import { expect, test } from "@jest/globals";
import { initialSettings } from "@web-tester/contracts/object-settings";
import { applyDraft, conflictsOf, keepMine, takeStored, touchedSince, withEdits } from "./drafts.js";
import { optionsOf } from "./options.js";

const secret_versions = { auth_password: null, request_headers: null, login_steps: null };
const found = optionsOf({ ...initialSettings, exclude_list: ["/a"], login_steps: [], secret_versions });

test("what is touched after a save stays to be saved, and nothing else", () => {
  const touched = { secret: "s", exclude_list: " /c ", request_delay_ms: 5 };
  const draft = withEdits(undefined, found, touched);
  const sent = applyDraft(draft, found);
  expect(touchedSince(draft, sent, draft)).toBeUndefined();
  expect(touchedSince(draft, sent, withEdits(draft, found, { auth_enabled: true }))?.values).toEqual({
    auth_enabled: true,
  });
  // also where it was switched back to the value stored before
  const back = touchedSince(draft, sent, withEdits(draft, found, { exclude_list: "/a" }));
  expect(applyDraft(back, sent).exclude_list).toBe("/a");
  expect(conflictsOf(back, sent)).toEqual([]);
});

test("an option edited here and stored otherwise elsewhere is a conflict, until one of both is chosen", () => {
  const draft = withEdits(undefined, found, { exclude_list: "/mine", request_delay_ms: 5 });
  const stored = { ...found, exclude_list: "/theirs" };
  expect(conflictsOf(draft, found)).toEqual([]);
  expect(conflictsOf(draft, stored)).toEqual(["exclude_list"]);
  expect(applyDraft(draft, stored)).toMatchObject({ exclude_list: "/mine", request_delay_ms: 5 });

  const mine = keepMine(draft, stored, "exclude_list");
  expect(conflictsOf(mine, stored)).toEqual([]);
  expect(applyDraft(mine, stored).exclude_list).toBe("/mine");
  expect(conflictsOf(mine, { ...stored, exclude_list: "/again" })).toEqual(["exclude_list"]);

  const theirs = takeStored(draft, "exclude_list");
  expect(conflictsOf(theirs, stored)).toEqual([]);
  expect(applyDraft(theirs, stored)).toMatchObject({ exclude_list: "/theirs", request_delay_ms: 5 });
});

test("both having stored the same, or one having gone back to what was found, is no conflict and undoes nothing", () => {
  const same = withEdits(undefined, found, { exclude_list: "/new\n\n" });
  expect(conflictsOf(same, { ...found, exclude_list: "/new" })).toEqual([]);
  const back = withEdits(withEdits(undefined, found, { exclude_list: "/x" }), found, { exclude_list: "/a" });
  const stored = { ...found, exclude_list: "/theirs" };
  expect(conflictsOf(back, stored)).toEqual([]);
  expect(applyDraft(back, stored).exclude_list).toBe("/theirs");
  // what is edited after that was seen as it is stored now
  expect(conflictsOf(withEdits(back, stored, { exclude_list: "/y" }), stored)).toEqual([]);
});

test("a secret typed here is in conflict with another one stored elsewhere, though neither is shown", () => {
  const draft = withEdits(undefined, found, { secret: "mine", headers: "X-Key: mine" });
  const stored = { ...found, versions: { ...found.versions, secret: "v2" } };
  expect(conflictsOf(draft, found)).toEqual([]);
  expect(conflictsOf(draft, stored)).toEqual(["secret"]);
  const mine = keepMine(draft, stored, "secret");
  expect(conflictsOf(mine, stored)).toEqual([]);
  expect(applyDraft(mine, stored)).toMatchObject({ secret: "mine", headers: "X-Key: mine" });
  expect(applyDraft(takeStored(draft, "secret"), stored)).toMatchObject({ secret: "", headers: "X-Key: mine" });
  // what was typed and taken back is no edit
  expect(conflictsOf(withEdits(draft, found, { secret: "" }), stored)).toEqual([]);
  // the next secret is typed beside the one that was saved here just now
  const next = touchedSince(
    draft,
    { ...applyDraft(draft, found), versions: stored.versions },
    {
      ...draft,
      values: { ...draft.values, secret: "next" },
    },
  );
  expect(conflictsOf(next, stored)).toEqual([]);
  expect(conflictsOf(next, found)).toEqual(["secret"]);
});
