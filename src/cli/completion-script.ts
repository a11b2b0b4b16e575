/**
 * Completion for shells: a script with all commands, actions and options, which calls `pml completion --names` for
 * names that only the gateway knows.
 *
 * @module
 */

/** The kinds of names that `pml completion --names` returns. */
export const NAME_KINDS = ["capabilities", "servers", "tools", "waiting", "runs"] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** The possible words after those of a command. */
export interface Completed {
  /** `cap rename`; empty at the position of a command. */
  readonly path: string;
  readonly words: readonly Choice[];
  /** Including their dashes. */
  readonly options: readonly Choice[];
  /** The kind of its argument, if the gateway knows the names. */
  readonly names?: NameKind;
}

export type Choice = readonly [word: string, about: string];

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const VALUE_OPTIONS = ["--config", "--data-dir", "--scope", "--role"];

/** Reads the words before the cursor, in bash and zsh: the command and its action, without options and their values. */
const READ_WORD = `    if [[ -n $skip ]]; then skip=""; continue; fi
    case $word in
      ${VALUE_OPTIONS.join("|")}) skip=1 ;;
      -*) ;;
      *) if [[ -z $first ]]; then first=$word; elif [[ -z $second ]]; then second=$word; fi ;;
    esac`;

export function completionScript(shell: Shell, all: readonly Completed[]): string {
  return { bash, zsh, fish }[shell](all);
}

function bash(all: readonly Completed[]): string {
  return `# Completion of pml for bash, made by \`pml completion bash\`.
_pml() {
  local line=\${COMP_LINE:0:COMP_POINT} cur="" words=() options=() names="" given first="" second="" skip="" word
  read -ra given <<< "$line"
  if [[ $line != *[[:space:]] ]]; then
    cur=\${given[\${#given[@]}-1]}
    given=("\${given[@]:0:\${#given[@]}-1}")
  fi
  for word in "\${given[@]:1}"; do
${READ_WORD}
  done
  case "$first $second" in
${cases(all)}
  esac
  COMPREPLY=()
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "\${options[*]}" -- "$cur"))
    return
  fi
  if [[ -n $names ]]; then words+=($(pml completion --names "$names" -- "\${given[@]:1}" 2>/dev/null)); fi
  COMPREPLY=($(compgen -W "\${words[*]}" -- "$cur"))
  # A colon begins a new word in bash.
  local before=\${cur%"\${cur##*:}"}
  COMPREPLY=("\${COMPREPLY[@]#"$before"}")
}
complete -o default -F _pml pml
`;
}

function zsh(all: readonly Completed[]): string {
  return `#compdef pml
# Completion of pml for zsh, made by \`pml completion zsh\`.
_pml() {
  local first="" second="" skip="" names="" word
  local -a options given found
  local -a choices
  given=(\${words[2,CURRENT-1]})
  for word in $given; do
${READ_WORD}
  done
  case "$first $second" in
${cases(all).replaceAll("words=", "choices=")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    compadd -- $options
    return
  fi
  if [[ -n $names ]]; then
    found=(\${(f)"$(pml completion --names $names -- $given 2>/dev/null)"})
    choices+=($found)
  fi
  if (( \${#choices} )); then compadd -- $choices; else _files; fi
}
if [[ \${funcstack[1]} == _pml ]]; then _pml "$@"; else compdef _pml pml; fi
`;
}

/** The branches of a `case` that bash and zsh share; those with an action come first. */
function cases(all: readonly Completed[]): string {
  return [...all]
    .sort((a, b) => b.path.split(" ").length - a.path.split(" ").length || (a.path > b.path ? -1 : 1))
    .map(({ path, words, options, names }) => {
      const [first = "", second] = path.split(" ");
      const pattern = second === undefined ? `"${first} "*` : `"${first} ${second}"`;
      const sets = [
        ...(words.length === 0 ? [] : [`words=(${wordsOf(words)})`]),
        ...(options.length === 0 ? [] : [`options=(${wordsOf(options)})`]),
        ...(names === undefined ? [] : [`names=${names}`]),
      ];
      return `    ${pattern}) ${sets.join("; ")} ;;`;
    })
    .join("\n");
}

function wordsOf(choices: readonly Choice[]): string {
  return choices.map(([word]) => word).join(" ");
}

function fish(all: readonly Completed[]): string {
  const lines = all.flatMap(({ path, words, options, names }) => {
    const when = fishCondition(path, words);
    const inside = fishCondition(path, []);
    return [
      ...words.map(([word, about]) => `complete -c pml -n ${when} -f -a ${word} -d ${quoted(about)}`),
      ...options.map(
        ([word, about]) => `complete -c pml -n ${inside} -l ${word.slice(2)} -d ${quoted(about)}`,
      ),
      ...(names === undefined
        ? []
        : [
            `complete -c pml -n ${inside} -f -a '(pml completion --names ${names} -- (commandline -opc)[2..] 2>/dev/null)'`,
          ]),
    ];
  });
  return `# Completion of pml for fish, made by \`pml completion fish\`.
${lines.join("\n")}
`;
}

/** The condition for offering the words after `path`: not again once one of `words` is present. */
function fishCondition(path: string, words: readonly Choice[]): string {
  const [first = "", second] = path.split(" ");
  if (first === "") return "__fish_use_subcommand";
  const parts = [
    `__fish_seen_subcommand_from ${first}`,
    ...(second === undefined ? [] : [`__fish_seen_subcommand_from ${second}`]),
    ...(words.length === 0 ? [] : [`not __fish_seen_subcommand_from ${wordsOf(words)}`]),
  ];
  return quoted(parts.join("; and "));
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
