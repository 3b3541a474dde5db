import { areas, withoutGlobalFetch } from "./infra/local/lint/arrows.mjs";

const egress = "Egress: only packages/platform/src/egress opens outbound sockets; ask it.";

/** The lint (`npm run check`): the arrows of STYLE, its other rules that a program can check, and oxlint's correctness rules. */
export default {
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "node"],
  categories: { correctness: "error" },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["**/dist/**", "**/node_modules/**", "coverage/**", ".cache/**", "data/**"],
  env: { builtin: true, es2026: true, node: true },
  rules: {
    "max-lines": ["error", { max: 400 }],
    eqeqeq: ["error", "always", { null: "ignore" }],
    "no-shadow": "error",
    "no-var": "error",
    "prefer-const": "error",
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "import/no-self-import": "error",
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-require-imports": "error",
    "typescript/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/no-unnecessary-type-assertion": "error",
    // Copying a set before changing it in the loop is what it takes for useless.
    "unicorn/no-useless-spread": "off",
    // Objects here are made of closures; there is no `this` to lose.
    "typescript/unbound-method": "off",
    "typescript/no-base-to-string": "off",
    "typescript/restrict-template-expressions": "off",
    // Spreading a string gives code points, which is what is wanted where it is done.
    "typescript/no-misused-spread": "off",
  },
  overrides: [
    ...areas(import.meta.dirname).map(({ refusals, ...where }) => ({
      ...where,
      rules: { "no-restricted-imports": ["error", { patterns: refusals }] },
    })),
    {
      ...withoutGlobalFetch,
      rules: {
        "no-restricted-globals": [
          "error",
          ...["fetch", "WebSocket", "EventSource"].map((name) => ({ name, message: egress })),
        ],
      },
    },
    // The types of constructor parameters are what Nest injects by: they must stay values.
    { files: ["services/gateway/src/**/*.ts"], rules: { "typescript/consistent-type-imports": "off" } },
    {
      files: ["web/**/*.{ts,tsx}"],
      plugins: ["react", "jsx-a11y"],
      env: { browser: true, node: false },
      rules: {
        "react/rules-of-hooks": "error",
        "react/exhaustive-deps": "error",
        // Rules for React's compiler, which is not in use.
        "react/purity": "off",
        "react/incompatible-library": "off",
        "react/set-state-in-effect": "off",
        "react/exhaustive-effect-dependencies": "off",
        // A role says more than a tag that has another look or meaning of its own.
        "jsx-a11y/prefer-tag-over-role": "off",
        // Scrollable regions must be reached by keyboard, and a dialog starts at its first field (WCAG 2.1.1).
        "jsx-a11y/no-noninteractive-tabindex": "off",
        "jsx-a11y/no-autofocus": "off",
      },
    },
    {
      files: ["**/*.test.{ts,tsx}"],
      plugins: ["jest"],
      rules: {
        "jest/no-disabled-tests": "error",
        "jest/no-focused-tests": "error",
        "jest/expect-expect": [
          "error",
          { assertFunctionNames: ["expect", "expect*", "assert*", "check*", "fc.assert"] },
        ],
        "jest/no-conditional-expect": "off",
        "jest/no-standalone-expect": "off",
        "jest/valid-title": "off",
      },
    },
    // Tools find their settings by default export, React its lazy parts, piscina its worker.
    {
      files: [
        "*.config.{ts,mjs}",
        "web/*.config.ts",
        "web/src/**/*.tsx",
        "services/*/src/**/*-worker.ts",
        "packages/*/src/**/*-worker.ts",
        "infra/local/tests/test-environment.mjs",
      ],
      rules: { "import/no-default-export": "off" },
    },
    // Runs before anything else, in browsers of any age.
    { files: ["web/public/*.js"], rules: { "no-var": "off" } },
  ],
};
