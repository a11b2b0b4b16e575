/**
 * Variables in the texts of clients' entries, rewritten to PML's own: `${NAME}` from the environment, `${secret:NAME}`
 * for values that the client asks a person for or stores.
 *
 * @module
 */

export interface VariablePlaces {
  readonly home: string;
  /** The project of the entry, if it has one. */
  readonly project?: string | undefined;
  /** A text `$NAME` is a variable too (Gemini CLI). */
  readonly isBare?: boolean;
}

const NAME = "[A-Za-z_][A-Za-z0-9_]*";
/** `${NAME}` and `${NAME:-default}` already are in PML's form. */
const OWN = new RegExp(`^${NAME}(?::-.*)?$`, "s");
/** Variables of VS Code, Cursor and others, which look like those of the environment. */
const OF_EDITORS: ReadonlySet<string> = new Set([
  ...["workspaceFolder", "workspaceFolderBasename", "workspaceRoot", "userHome", "pathSeparator"],
  ...["cwd", "file", "extensionInstallFolder"],
]);
const BARE = new RegExp(`^\\$${NAME}$`);
/** `${…}`, `${{ … }}` (Continue), and `{env:…}` or `{file:…}` (opencode). */
const VARIABLE = /\$\{\{([^{}]*)\}\}|\$\{([^{}]*)\}|\{((?:env|file):[^{}]*)\}/g;

/** The text for PML. `report` is called for each variable that cannot be translated exactly. */
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
    // As text: PML does not resolve it as a variable.
    return whole.startsWith("$") ? `$${whole}` : whole;
  });
}

/** Replaces characters that a secret's name must not have. */
function secretName(id: string): string {
  return id.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[^A-Za-z0-9_]/, "_");
}
