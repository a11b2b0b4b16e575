import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { PageFiles, policyOf } from "./page-file.js";

const sha = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

describe("[DA-1] the policy of the page", () => {
  it("allows the scripts and styles that are in the file, and no others", () => {
    const html =
      '<script src="/a.js"></script><script type="module">\r\nlet a = "<b>";</script><style>b{}</style><script>2</script>';
    expect(policyOf(html)).toBe(
      [
        "default-src 'none'",
        `script-src 'self' ${sha('\nlet a = "<b>";')} ${sha("2")}`,
        `style-src 'self' ${sha("b{}")}`,
        "connect-src 'self'",
        "img-src 'self' data:",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; "),
    );
  });
});

describe("[DA-1] the files of the page", () => {
  it.each([
    ["/", "index.html"],
    ["/capabilities/fs:read", "index.html"],
    ["/index.html", "index.html"],
    ["/graph.js", "graph.js"],
    ["/dashboard.js", undefined],
    ["/../package.json", undefined],
    ["/favicon.ico", undefined],
  ])("%s is %s", (path, file) => {
    expect(new PageFiles().fileOf(path)).toBe(file);
  });

  it("says how to build it where it was not", async () => {
    expect(await new PageFiles(new URL("file:///nowhere/")).html()).toContain("npm run build");
  });
});
