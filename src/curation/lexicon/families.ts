/**
 * The purposes of known servers: files, databases, repositories and the like.
 *
 * @module
 */
import { wordSet } from "../../base/word-set.js";

/** Phrases in descriptions of servers and tools of a family; more specific ones first. */
export const FAMILY_PHRASES: readonly (readonly [family: string, words: RegExp])[] = [
  [
    "git",
    said(
      "github,gitlab,bitbucket,gitea,forgejo,git repository,pull request,merge request,git history,git commit",
    ),
  ],
  [
    "db",
    said(
      "postgres,postgresql,mysql,mariadb,sqlite,sql server,duckdb,clickhouse,snowflake,bigquery,redshift,sql database," +
        "sql query,sql queries,relational database,data warehouse,run sql,execute sql",
    ),
  ],
  [
    "ai",
    said(
      "language model,llm,chat completion,text generation,generative ai,openai,anthropic,hugging face,image generation",
    ),
  ],
  ["shell", said("shell command,run command,runs command,execute command,terminal session,command line")],
  ["fs", said("file system,filesystem,local file,read and write files,files and directories")],
  ["api", said("http request,rest client,fetch url,fetch a url,fetches web page,http client,web request")],
];
/** Tools that only servers of a family have. */
export const FAMILY_TOOLS: Readonly<Record<string, ReadonlySet<string>>> = {
  db: wordSet(
    "run_sql run_query execute_sql execute_query sql_query query_sql list_tables describe_table list_schemas sql",
  ),
  git: wordSet(`
list_pull_requests get_pull_request create_pull_request merge_pull_request list_merge_requests get_merge_request
create_merge_request list_commits get_commit list_branches create_branch search_repositories git_log git_diff git_status
git_commit rebase cherry_pick`),
  fs: wordSet("read_text_file read_multiple_files directory_tree list_directory edit_file"),
  shell: wordSet("run_command execute_command run_shell exec_shell execute_shell run_bash bash shell_exec"),
  ai: wordSet(
    "chat_completion chat_completions create_completion generate_text create_embedding create_embeddings",
  ),
  api: wordSet(
    "http_get http_post http_put http_delete http_patch http_request fetch_url fetch_page fetch_json curl",
  ),
};
/** A pattern of phrases, each with its plural. */
function said(phrases: string): RegExp {
  return new RegExp(`\\b(?:${phrases.replaceAll(",", "|").replaceAll(" ", "[ -]")})s?\\b`, "i");
}
