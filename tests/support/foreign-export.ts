/** An export file as other programs write it. */
export const foreignExport = {
  // lists in another order, numbers for ids, headers as an object, times as in SQL, nulls
  testSnapshots: [
    {
      id: 1,
      testinstance_id: 5,
      html: "<p>one",
      headers: { "content-type": "text/html" },
      created_at: "2026-01-02 10:00:00",
    },
    {
      id: 2,
      testinstance_id: "5",
      html: "<p>two",
      headers: '{"a":["b","c"]}',
      created_at: "2026-01-03T10:00:00+01:00",
    },
    { id: 3, testinstance_id: "5", created_at: 1_767_500_000_000 },
    { id: 4, testinstance_id: 6, html: "<p>no time", headers: "" },
    { id: 5, testinstance_id: 6, html: "", error: "Timed out", state: null },
    { id: 6, testinstance_id: 7, html: "<p>of a double" },
  ],
  testInstances: [
    { id: 5, name: "A page", url: "https://shop.example/a%7Eb#top", testobject_id: 1 },
    { id: 6, url: "https://shop.example/c", testobject: { id: "1", name: "Shop" }, name: null },
    { id: 7, url: "https://SHOP.example:443/a~b", testobjectId: 2 },
  ],
  other: { deep: [1, { testObjects: [{ id: "none" }] }] },
  testObjects: [
    {
      id: 1,
      name: "Shop",
      url: "https://shop.example",
      auth_enabled: 1,
      auth_password: "s3cret-word",
      asset_snapshots: 0,
      exclude_list: "/a\n\n/b ",
    },
    { id: 2, url: "HTTPS://shop.example:443/#x" },
  ],
};
