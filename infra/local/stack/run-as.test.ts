import { describe, expect, test } from "@jest/globals";
import { type Facts, planUser, runBy } from "./run-as.mjs";

const dir = "/root/x/data/postgres";
const nobody = { name: "nobody", uid: 65_534, gid: 65_534 };
/** Root in a place that every user may enter. */
const open: Facts = {
  uid: 0,
  isNamed: true,
  clusterOwner: undefined,
  other: nobody,
  canBecome: true,
  reachesPrograms: true,
  copyPlace: undefined,
  reachesFolder: true,
  worksInside: true,
  shownAs: undefined,
};
const copyPlace = "/var/cache/web-tester";
const closed: Facts = { ...open, reachesPrograms: false, reachesFolder: false, copyPlace };
const ordinary: Facts = { ...open, uid: 1000, other: undefined, canBecome: false };

describe("planUser", () => {
  test.each<[string, Facts, object]>([
    ["a system without users", { ...ordinary, uid: undefined }, { as: "ourselves" }],
    ["an ordinary user", ordinary, { as: "ourselves" }],
    ["an ordinary user with their data", { ...ordinary, clusterOwner: { uid: 1000, gid: 1000 } }, { as: "ourselves" }],
    [
      "a user without a name and with their data",
      { ...ordinary, isNamed: false, clusterOwner: { uid: 1000, gid: 0 } },
      { as: "ourselves" },
    ],
    ["a user without a name", { ...ordinary, isNamed: false, shownAs: nobody }, { as: "shown", user: nobody }],
    ["root where all is open", open, { as: "other", user: nobody, copyTo: undefined, inside: false }],
    ["root where nothing is open", closed, { as: "other", user: nobody, copyTo: copyPlace, inside: true }],
    [
      "root with data elsewhere",
      { ...closed, reachesFolder: true },
      { as: "other", user: nobody, copyTo: copyPlace, inside: false },
    ],
    [
      "root with closed data",
      { ...open, reachesFolder: false },
      { as: "other", user: nobody, copyTo: undefined, inside: true },
    ],
    [
      "root that is alone in its namespace",
      { ...closed, canBecome: false, shownAs: nobody },
      { as: "shown", user: nobody },
    ],
    [
      "root without a place for copies",
      { ...closed, copyPlace: undefined, shownAs: nobody },
      { as: "shown", user: nobody },
    ],
  ])("%s", (_who, facts, plan) => {
    expect(planUser(facts, dir)).toEqual(plan);
  });

  test.each<[string, Facts, RegExp]>([
    [
      "data of another user",
      { ...ordinary, clusterOwner: { uid: 7, gid: 7 } },
      /belongs to another user \(uid 7, this is 1000\)/,
    ],
    ["a user without a name", { ...ordinary, isNamed: false }, /uid 1000 is not in \/etc\/passwd/],
    ["root alone", { ...open, other: undefined }, /names no other user/],
    ["root without its rights", { ...open, canBecome: false }, /may not start programs or give files to nobody/],
    ["a closed folder without /proc", { ...closed, worksInside: false }, /may not enter the folder of .*DATA_DIR/],
    ["programs that cannot be copied", { ...closed, copyPlace: undefined }, /no folder was found/],
    [
      "a namespace, and data that are not root's",
      { ...closed, canBecome: false, shownAs: nobody, clusterOwner: { uid: 7, gid: 7 } },
      /may not start programs/,
    ],
  ])("says in one line why it cannot be: %s", (_what, facts, says) => {
    const plan = planUser(facts, dir);
    expect(plan).toEqual({ as: "nobody", why: expect.stringMatching(says) });
    expect(JSON.stringify(plan)).not.toContain("\\n");
  });
});

describe("runBy", () => {
  test("another user calls a closed folder by the name that needs no way to it", () => {
    const { folder, how } = runBy({ as: "other", user: nobody, copyTo: undefined, inside: true }, dir);
    expect(folder).toBe("/proc/self/cwd");
    expect(how("/p", ["a"])).toEqual({ command: "/p", args: ["a"], options: { cwd: dir, uid: 65_534, gid: 65_534 } });
  });
  test("a namespace is entered by unshare", () => {
    const { folder, how } = runBy({ as: "shown", user: nobody }, dir);
    expect(folder).toBe(dir);
    expect(how("/p", ["a"])).toEqual({
      command: "unshare",
      args: ["--user", "--map-user=65534", "--map-group=65534", "--", "/p", "a"],
      options: { cwd: dir },
    });
  });
  test("ourselves need nothing", () => {
    expect(runBy({ as: "ourselves" }, dir).how("/p", [])).toEqual({ command: "/p", args: [], options: { cwd: dir } });
  });
});
