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
  testEnvironment: "node",
  extensionsToTreatAsEsm: [".ts"],
  transform: { "^.+\\.ts$": ["@swc/jest", swc] },
  moduleNameMapper: {
    "^@web-tester/(contracts|html|diff|platform|loader)/(.+)$": "<rootDir>/packages/$1/src/$2",
    "^(\\.{1,2}/.*)\\.js$": "$1",
  },
};

export default {
  projects: [
    { ...shared, displayName: "unit", roots: ["<rootDir>/packages", "<rootDir>/services", "<rootDir>/infra", "<rootDir>/benches", "<rootDir>/web"], testMatch: ["**/*.test.ts"], testPathIgnorePatterns: ["/node_modules/", "/dist/"] },
    { ...shared, displayName: "integration", roots: ["<rootDir>/tests"], testMatch: ["**/*.test.ts"] },
  ],
};
