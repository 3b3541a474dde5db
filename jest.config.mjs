const swc = {
  sourceMaps: "inline",
  module: { type: "es6" },
  jsc: {
    target: "es2024",
    parser: { syntax: "typescript", tsx: false, decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};

const shared = {
  testEnvironment: "<rootDir>/infra/local/tests/test-environment.mjs",
  // machines are shared and slow at times; no test measures time
  testTimeout: 60_000,
  extensionsToTreatAsEsm: [".ts"],
  transform: { "^.+\\.ts$": ["@swc/jest", swc] },
  moduleNameMapper: {
    "^@web-tester/(contracts|html|diff|urls|search-index|platform|records|loader|replay|worker)/(.+)$":
      "<rootDir>/packages/$1/src/$2",
    "^(\\.{1,2}/.*)\\.js$": "$1",
  },
};

/** Tests that kill parts of a product, or a whole one, and look at what is done in time: never two of them at once. */
const alone = ["faults", "campaign", "local"].map((room) => `<rootDir>/tests/${room}`);

const beside = { ...shared, testMatch: ["**/*.test.ts"], testPathIgnorePatterns: ["/node_modules/", "/dist/"] };
const gateway = "<rootDir>/services/gateway";

export default {
  projects: [
    {
      ...beside,
      displayName: "unit",
      roots: ["<rootDir>/packages", "<rootDir>/services", "<rootDir>/infra", "<rootDir>/benches", "<rootDir>/web"],
      testPathIgnorePatterns: [...beside.testPathIgnorePatterns, `${gateway}/`],
    },
    // Loading Nest costs 0.4 s a file, so only the tests that meet it do.
    {
      ...beside,
      displayName: "unit-gateway",
      roots: [gateway],
      setupFiles: ["<rootDir>/services/gateway/jest-preload.mjs"],
    },
    {
      ...shared,
      displayName: "integration",
      testEnvironmentOptions: { takesTurns: true },
      roots: ["<rootDir>/tests"],
      testMatch: ["**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", ...alone],
    },
    {
      ...shared,
      displayName: "alone",
      roots: ["<rootDir>/tests"],
      testMatch: alone.map((path) => `${path}/*.test.ts`),
    },
  ],
};
