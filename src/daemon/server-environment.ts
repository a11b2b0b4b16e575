/** The variables that a real server's process gets without being named in the configuration. */
const INHERITED = ["PATH", "HOME", "USER", "LANG", "TMPDIR"] as const;
/** Windows programs do not start without these. */
const INHERITED_ON_WINDOWS = [
  "SystemRoot",
  "SystemDrive",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "TEMP",
  "PATHEXT",
  "ComSpec",
] as const;

/** The few variables of `env` that are passed on. */
export function serverEnvironment(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  const names: readonly string[] =
    process.platform === "win32" ? [...INHERITED, ...INHERITED_ON_WINDOWS] : INHERITED;
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
