/** The page of names for unnamed capabilities: each suggestion with its reason, and one key for each answer. */
import { useSignal } from "@preact/signals";
import type { Suggestion } from "../answers.js";
import { type AnswerOf, call } from "../api.js";
import { useKeys } from "../keys.js";
import { useLoaded } from "../loaded.js";
import { Badge, Card, Empty, Loading, Meter, Problem } from "../parts/bits.js";
import { Code } from "../parts/code.js";
import { askText } from "../parts/dialog.js";
import { attempt } from "../parts/toast.js";
import { counted } from "../parts/when.js";
import { href } from "../router.js";

type Suggested = Extract<AnswerOf<"cap:curate">, { readonly mode: "suggest" }>;
type Applied = Extract<AnswerOf<"cap:curate">, { readonly mode: "apply" }>;

const PAGE = 50;

export function Curation() {
  const skipped = useSignal<ReadonlySet<string>>(new Set());
  const { state, reload } = useLoaded(
    () => call("cap:curate", { mode: "suggest", limit: PAGE, detail: "full" }) as Promise<Suggested>,
    [],
    ["capability.changed"],
  );
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="suggestions" /> : <Problem error={error} retry={reload} />;
  const open = value.suggestions.filter(({ id }) => !skipped.value.has(id));
  const [first] = open;
  if (first === undefined)
    return (
      <Card>
        <Empty title={value.suggestions.length === 0 ? "All capabilities have names" : "No more suggestions"}>
          {value.suggestions.length === 0
            ? "New code without a name appears here."
            : `${counted(skipped.value.size, "one", "ones")} skipped.`}
        </Empty>
      </Card>
    );
  const skip = () => {
    skipped.value = new Set([...skipped.value, first.id]);
  };
  return (
    <>
      <Problem error={error} retry={reload} />
      <p class="muted small" role="status">
        {counted(value.total - skipped.value.size, "capability", "capabilities")} without a name
      </p>
      <One
        key={first.id}
        suggestion={first}
        onSkip={skip}
        onNamed={() => {
          skip();
          reload();
        }}
      />
    </>
  );
}

function One({
  suggestion,
  onSkip,
  onNamed,
}: {
  readonly suggestion: Suggestion;
  readonly onSkip: () => void;
  readonly onNamed: () => void;
}) {
  const {
    id,
    currentName,
    suggestedName,
    confidence,
    reasoning,
    description,
    tags,
    code,
    tools = [],
    near = [],
  } = suggestion;
  const apply = (name: string) =>
    void attempt(async () => {
      const answer = (await call("cap:curate", {
        mode: "apply",
        renames: [{ id, name, description, tags }],
      })) as Applied;
      const [result] = answer.results;
      if (result?.ok !== true) throw new Error(result?.error?.message ?? "It was not renamed");
      onNamed();
      return `${currentName} is now ${result.name ?? name}`;
    });
  const edit = async () => {
    const name = await askText(
      "What should it be called?",
      "Name, as namespace:action",
      suggestedName,
      "Name it",
    );
    if (name !== undefined && name.trim() !== "") apply(name.trim());
  };
  useKeys(
    [
      { key: "a", what: "Accept the name", run: () => apply(suggestedName) },
      { key: "e", what: "Edit the name", run: () => void edit() },
      { key: "s", what: "Skip", run: onSkip },
    ],
    [id],
  );
  return (
    <Card
      title={
        <>
          <span class="muted">{currentName} →</span> {suggestedName}
        </>
      }
      actions={<Meter share={confidence} label={`${Math.round(confidence * 100)}% sure`} />}
    >
      <p>{description}</p>
      <p class="muted">
        Why this name: {reasoning}
        {near.length === 0 ? "" : `. Much like ${near.join(", ")}`}
      </p>
      <p>
        {tools.map((tool) => (
          <Badge key={tool}>{tool}</Badge>
        ))}
      </p>
      <div class="answers" role="group" aria-label="This name">
        <button type="button" class="primary" onClick={() => apply(suggestedName)}>
          Accept <kbd>a</kbd>
        </button>
        <button type="button" onClick={() => void edit()}>
          Edit <kbd>e</kbd>
        </button>
        <button type="button" onClick={onSkip}>
          Skip <kbd>s</kbd>
        </button>
        <a class="button" href={href("capability", currentName)}>
          Look at it
        </a>
      </div>
      {code === undefined ? null : <Code code={code} label={`Code of ${currentName}`} />}
    </Card>
  );
}
