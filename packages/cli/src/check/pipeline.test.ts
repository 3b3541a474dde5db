import { expect, test } from "@jest/globals";
import { pipelineOf } from "./pipeline.js";

const none = { commit: null, branch: null, url: null };

test.each([
  ["GitHub", { GITHUB_SHA: "a", GITHUB_REF_NAME: "main", GITHUB_HEAD_REF: "" }, { commit: "a", branch: "main" }],
  ["a pull request of GitHub", { GITHUB_REF_NAME: "7/merge", GITHUB_HEAD_REF: "fix" }, { branch: "fix" }],
  ["GitLab", { CI_COMMIT_SHA: "b", CI_COMMIT_REF_NAME: "main" }, { commit: "b", branch: "main" }],
  // https://plugins.jenkins.io/git: the branch, prefixed with its remote
  ["Jenkins", { GIT_COMMIT: "c", GIT_BRANCH: "origin/feature/x" }, { commit: "c", branch: "feature/x" }],
  ["Jenkins with branches", { BRANCH_NAME: "feature/x", GIT_BRANCH: "feature/x" }, { branch: "feature/x" }],
  [
    "a pull request of Jenkins",
    { CHANGE_BRANCH: "fix", BRANCH_NAME: "PR-7", GIT_BRANCH: "PR-7", BUILD_URL: "https://ci.test/7/" },
    { branch: "fix", url: "https://ci.test/7/" },
  ],
  ["CircleCI", { CIRCLE_SHA1: "d", CIRCLE_BRANCH: "origin/odd" }, { commit: "d", branch: "origin/odd" }],
  ["no pipeline", { BUILD_URL: "no address" }, {}],
])("%s says what is built", (_, env, said) => {
  expect(pipelineOf(env)).toEqual({ ...none, ...said });
});
