/**
 * Variables in the texts of clients' entries, rewritten to PML's own: `${NAME}` from the environment, `${secret:NAME}` for
 * what the client asks a person for or keeps.
 *
 * @module
 */

export interface VariablePlaces {
  readonly home: string;
  /** The project that the entry belongs to, if it belongs to one. */
  readonly project?: string | undefined;
  /** A text that is `$NAME` is a variable too (Gemini CLI). */
  readonly isBare?: boolean;
}

const NAME = "[A-Za-z_][A-Za-z0-9_]*";
/** `${NAME}` and `${NAME:-default}` are PML's already. */
const OWN = new RegExp(`^${NAME}(?::-.*)?$`, "s");
/** Variables of VS Code, Cursor and others, which look like those of the environment. */
const OF_EDITORS: ReadonlySet<string> = new Set([
  ...["workspaceFolder", "workspaceFolderBasename", "workspaceRoot", "userHome", "pathSeparator"],
  ...["cwd", "file", "extensionInstallFolder"],
]);
const BARE = new RegExp(`^\\$${NAME}$`);
/** `${…}`, `${{ … }}` (Continue), and `{env:…}` or `{file:…}` (opencode). */
const VARIABLE = /\$\{\{([^{}]*)\}\}|\$\{([^{}]*)\}|\{((?:env|file):[^{}]*)\}/g;

/** The text for PML. `report` is told of each variable that it cannot give as it is. */
export function pmlText(text: string, places: VariablePlaces, report: (message: string) => void): string {
  if (places.isBare === true && BARE.test(text)) return `\${${text.slice(1)}}`;
  return text.replace(VARIABLE, (whole, secret?: string, plain?: string, opencode?: string) => {
    const inner = (secret ?? plain ?? opencode ?? "").trim();
    const [kind = "", ...rest] = inner.split(/[:.]/);
    const name = rest.join("_");
    if (kind === "env" && new RegExp(`^${NAME}$`).test(name)) return `\${${name}}`;
    if ((kind === "input" || kind === "secrets" || kind === "inputs") && name !== "") {
      const secret = secretName(name);
      report(`${whole} is asked for or kept by the client; \`pml secret set ${secret}\` keeps it for PML`);
      return `\${secret:${secret}}`;
    }
    if (inner === "userHome") return places.home;
    if (inner === "workspaceFolder" && places.project !== undefined) return places.project;
    if (plain !== undefined && OWN.test(inner) && !OF_EDITORS.has(inner)) return `\${${inner}}`;
    // Its default value may be a secret.
    report(`${whole.replace(/:-.*(?=\}$)/s, "")} has no value outside of the client`);
    // As a text: PML takes no variable out of it.
    return whole.startsWith("$") ? `$${whole}` : whole;
  });
}

/** With the letters that a secret's name may have. */
function secretName(id: string): string {
  return id.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[^A-Za-z0-9_]/, "_");
}
