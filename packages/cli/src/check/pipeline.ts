type Env = Readonly<Record<string, string | undefined>>;

/** Reads commit, branch and address of a pipeline from its environment: GitHub, GitLab, and variables that other systems share. */
export function pipelineOf(env: Env): { commit: string | null; branch: string | null; url: string | null } {
  const first = (...names: string[]) => names.map((name) => env[name]?.trim()).find((value) => value) ?? null;
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  const github = server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
  const url = github ?? first("CI_PIPELINE_URL", "BUILD_URL", "CIRCLE_BUILD_URL");
  return {
    commit: first("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "CIRCLE_SHA1"),
    branch:
      first("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "CHANGE_BRANCH", "BRANCH_NAME") ??
      // Jenkins writes its remote before it, and a badge is asked for the branch alone
      first("GIT_BRANCH")?.replace(/^origin\//, "") ??
      first("CIRCLE_BRANCH"),
    url: url !== null && /^https?:\/\//.test(url) && URL.canParse(url) ? url : null,
  };
}
