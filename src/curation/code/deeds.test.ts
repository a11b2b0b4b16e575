import { describe, expect, it } from "vitest";
import { codeFacts } from "./code-facts.js";
import { deedsOf } from "./deeds.js";

/** Each call as `kind verb`. */
function deeds(code: string): readonly string[] {
  return deedsOf(codeFacts(code), []).map(({ kind, verb }) => `${kind} ${verb}`);
}

const sql = (text: string) => deeds(`await mcp.pg.query({ sql: ${JSON.stringify(text)} });`);
const shell = (command: string) => deeds(`await mcp.shell.exec({ command: ${JSON.stringify(command)} });`);

describe("what a tool's name says", () => {
  it.each([
    ["list_open_issues", "ask list"],
    ["createPullRequest", "change create"],
    ["delete-object", "remove delete"],
    ["post_message", "tell post"],
    ["brave_web_search", "ask search"],
    ["merge_pull_request", "change merge"],
    ["directory_tree", "ask list"],
    ["turn_off_light", "change disable"],
    ["open_valve", "change open"],
    ["open_page", "ask open"],
    ["create_comment", "tell create"],
  ])("[CU-2] %s: %s", (tool, expected) => {
    expect(deeds(`await mcp.x[${JSON.stringify(tool)}]({});`)).toEqual([expected]);
  });
});

describe("what SQL says", () => {
  it.each([
    ["select * from users", "ask list"],
    ["select count(*) from app.order_lines", "compute count"],
    ["with old as (select 1) delete from sessions", "remove delete"],
    ["insert into audit_log values (1)", "change insert"],
    ["update invoices set paid = true", "change update"],
    ["truncate sessions", "remove clear"],
    ["create index on t (x)", "change create"],
    ["-- delete from x\nselect 1 from t1", "ask list"],
  ])("[CU-2] %s", (text, expected) => {
    expect(sql(text)).toEqual([expected]);
  });
});

describe("what a command line says", () => {
  it.each([
    ["git log --oneline", "ask list"],
    ["sudo systemctl restart nginx", "run restart"],
    ["npx vitest run", "check run"],
    ["ps aux | sort | head -5", "ask list"],
    ["cd /srv && rm -rf tmp", "remove delete"],
    ["kubectl delete pod web", "remove delete"],
  ])("[CU-2] %s: %s", (command, expected) => {
    expect(shell(command)[0]).toBe(expected);
  });
});

it("[CU-2] code that cannot be parsed still calls what it calls", () => {
  expect(deeds("await mcp.slack.post_message({ text: 'x' }); }}} (")).toEqual(["tell post"]);
});
