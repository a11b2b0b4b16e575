import { describe, expect, it } from "vitest";
import { codeFacts } from "./code-facts.js";
import { deedsOf } from "./deeds.js";

/** Each call as `kind verb objects`. */
function deeds(code: string): readonly string[] {
  return deedsOf(codeFacts(code), []).map(({ kind, verb, objects }) => [kind, verb, ...objects].join(" "));
}

const sql = (text: string) => deeds(`await mcp.pg.query({ sql: ${JSON.stringify(text)} });`);
const shell = (command: string) => deeds(`await mcp.shell.exec({ command: ${JSON.stringify(command)} });`);

describe("what a tool's name says", () => {
  it.each([
    ["list_open_issues", "ask list open issues"],
    ["createPullRequest", "change create pull request"],
    ["delete-object", "remove delete object"],
    ["post_message", "tell post message"],
    ["brave_web_search", "ask search brave web"],
    ["merge_pull_request", "change merge pull request"],
    ["directory_tree", "ask list directory"],
  ])("[CU-2] %s: %s", (tool, expected) => {
    expect(deeds(`await mcp.x[${JSON.stringify(tool)}]({});`)).toEqual([expected]);
  });
});

describe("what SQL says", () => {
  it.each([
    ["select * from users", "ask list users"],
    ["select count(*) from app.order_lines", "compute count order lines"],
    ["with old as (select 1) delete from sessions", "remove delete sessions"],
    ["insert into audit_log values (1)", "change insert audit log"],
    ["update invoices set paid = true", "change update invoices"],
    ["select * from jobs where status = 'failed'", "ask list failed jobs"],
    [
      "select o.id from orders o left join customers c on c.id = o.customer_id where c.id is null",
      "ask list orphan orders customers",
    ],
    ["-- delete from x\nselect 1 from t1", "ask list"],
  ])("[CU-2] %s", (text, expected) => {
    expect(sql(text)[0]).toMatch(new RegExp(`^${expected}`));
  });
});

describe("what a command line says", () => {
  it.each([
    ["git log --oneline", "ask list commits"],
    ["sudo systemctl restart nginx", "run restart nginx"],
    ["npx vitest run", "run run tests"],
    ["ps aux | sort | head -5", "ask list processes"],
    ["cd /srv && rm -rf tmp", "remove delete files"],
    ["kubectl delete pod web", "remove delete pod web"],
  ])("[CU-2] %s: %s", (command, expected) => {
    expect(shell(command)[0]).toBe(expected);
  });
});

it("[CU-2] code that cannot be parsed still calls what it calls", () => {
  expect(deeds("await mcp.slack.post_message({ text: 'x' }); }}} (")).toEqual(["tell post message"]);
});
