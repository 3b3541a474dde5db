import { describe, expect, test } from "@jest/globals";
import { findDebianArchive, parseAptSources, sourceForSuites } from "./apt-sources.mjs";

describe("parseAptSources", () => {
  test("reads deb822 stanzas with comments between fields, several suites and an inline key", () => {
    const text = `Types: deb deb-src
# kept as a note
uris: http://mirror.example/debian http://second.example/debian
Suites: bookworm bookworm-updates
Components: main
signed-by:
 -----BEGIN KEY-----
 .
 -----END KEY-----

Types: deb-src
URIs: http://sources.example/debian
Suites: bookworm
Components: main

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main
`;
    const sources = parseAptSources(text, true);
    expect(sources.map((source) => source.uri)).toEqual([
      "http://mirror.example/debian",
      "http://second.example/debian",
    ]);
    expect(sources[0]).toMatchObject({
      suites: ["bookworm", "bookworm-updates"],
      components: ["main"],
      fields: { "Signed-By": "\n -----BEGIN KEY-----\n .\n -----END KEY-----" },
    });
  });

  test.each([
    [
      "deb http://mirror.example/debian bookworm main contrib # why",
      { uri: "http://mirror.example/debian", suites: ["bookworm"], components: ["main", "contrib"] },
    ],
    [
      "deb [arch=amd64,arm64 signed-by=/usr/share/keyrings/x.gpg] http://mirror.example/debian sid main",
      { fields: { "Signed-By": "/usr/share/keyrings/x.gpg", Arch: "amd64 arm64" } },
    ],
    ["  deb [ trusted=yes ] file:/srv/debian trixie main", { uri: "file:/srv/debian", fields: { Trusted: "yes" } }],
  ])("reads the line %s", (line, expected) => {
    expect(parseAptSources(`# a comment\n${line}\n`, false)).toMatchObject([expected]);
  });

  test.each([
    "",
    "#deb http://mirror.example/debian bookworm main",
    "deb-src http://mirror.example/debian bookworm main",
    "deb http://mirror.example/debian",
    "nonsense",
  ])("makes nothing of %j", (line) => {
    expect(parseAptSources(line, false)).toEqual([]);
  });
});

describe("findDebianArchive", () => {
  test("takes the full archive, not security, updates, or another vendor's", () => {
    const sources = parseAptSources(
      [
        "deb http://vendor.example/apt nodistro main",
        "deb http://mirror.example/debian-security bookworm-security main",
        "deb http://mirror.example/debian bookworm-updates main",
        "deb http://mirror.example/debian bookworm contrib",
        "deb http://mirror.example/debian bookworm main",
      ].join("\n"),
      false,
    );
    expect(findDebianArchive(sources)).toMatchObject({
      suites: ["bookworm"],
      components: ["main"],
      uri: "http://mirror.example/debian",
    });
  });

  test("finds none where there is only another distribution", () => {
    expect(findDebianArchive(parseAptSources("deb http://archive.example/ubuntu noble main", false))).toBeUndefined();
  });
});

test("sourceForSuites keeps how the archive is trusted, and reads back as itself", () => {
  const [archive] = parseAptSources(
    "deb [signed-by=/k.gpg arch=amd64 check-valid-until=no] http://mirror.example/debian bookworm main contrib",
    false,
  );
  if (archive === undefined) throw new Error("the line was not read");
  const text = sourceForSuites(archive, ["trixie", "sid"]);
  expect(text).toBe(
    "Types: deb\nURIs: http://mirror.example/debian\nSuites: trixie sid\nComponents: main\nTargets: Packages\nSigned-By: /k.gpg\nCheck-Valid-Until: no\n",
  );
  expect(parseAptSources(text, true)).toMatchObject([
    { uri: "http://mirror.example/debian", suites: ["trixie", "sid"], components: ["main"] },
  ]);
});
