/**
 * Actions of commands that are made from operations: arguments, flags and help come from the schema of the operation's
 * input. An action adds the form of its answer and its own parts: prompts, files, flags that are not fields.
 *
 * @module
 */
import type { z } from "zod";
import type { AnswerOf, InputOf, OperationId } from "../app/call-operation.js";
import type { GatewayClient } from "../app/gateway-client.js";
import type { Settings } from "../app/settings.js";
import { inputSchemaOf } from "../gateway/operation.js";
import { atGateway } from "./at-gateway.js";
import { type Paint, paintFor } from "./colour.js";
import type { Action } from "./command.js";
import { type GivenOf, type Own, readLine, type Schema, type Syntax, type Values } from "./command-line.js";
import { isConfirmed } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import { type CommonValues, settingsOf } from "./options.js";
import { printJson, printLine, printNote, printWarnings, visible, visibleLines } from "./output.js";
import { waitingFor } from "./spinner.js";
import { STDIN, type Stdin } from "./stdin.js";

export { group, single } from "./command.js";

const EXIT_FAILED = 1;

/** The target of the output. */
interface Screen {
  readonly isTerminal: boolean;
  readonly paint: Paint;
}

/** An action that calls an operation. */
type Rendered<Id extends OperationId, O extends Own> = Omit<Syntax<O>, "about" | "schema"> & {
  readonly operation: {
    readonly id: Id;
    readonly title?: string;
    readonly summary: string;
    readonly input: z.ZodObject;
  };
  /** Its description; default: the operation's summary. */
  readonly about?: string;
  /** Adds values that are not fields, or rejects contradictory ones. */
  complete?(input: InputOf<Id>, given: GivenOf<O>, stdin: Stdin): InputOf<Id>;
  /** Replaces input for people, such as the beginning of an id, by the operation's input. */
  resolve?(client: GatewayClient, input: InputOf<Id>): Promise<InputOf<Id>>;
  /** The question to a person at a terminal, unless `--yes` is given. */
  question?(input: InputOf<Id>): string;
} & (
    | {
        text(
          answer: AnswerOf<Id>,
          input: InputOf<Id>,
          given: GivenOf<O>,
          screen: Screen,
        ): string | { readonly text: string; readonly notes: readonly string[] };
        readonly session?: never;
      }
    /** For more than one call with its answer; returns the exit code. */
    | {
        session(input: InputOf<Id>, given: GivenOf<O>, settings: Settings): Promise<number>;
        readonly text?: never;
      }
  );

/** An operation as an action of a command. */
export function action<Id extends OperationId, const O extends Own = Own>(one: Rendered<Id, O>): Action {
  const { operation, title = operation.title ?? "", about = operation.summary } = one;
  const syntax: Syntax = { ...one, title, about, schema: () => inputSchemaOf(operation.input) as Schema };
  const read = (command: string, words: readonly string[], values: Values, stdin: Stdin) => {
    const line = readLine(command, syntax, words, values);
    // `parseArgs` has checked the values, and the gateway validates the input.
    const given = line.given as GivenOf<O>;
    const input = line.input as InputOf<Id>;
    return { input: one.complete?.(input, given, stdin) ?? input, given };
  };
  return {
    syntax,
    read: (...line) => read(...line).input,
    async run(command, words, values) {
      const { input, given } = read(command, words, values, STDIN);
      const settings = settingsOf(command, withoutFlags(values, one.flags));
      if (one.session !== undefined) return await one.session(input, given, settings);
      if (one.question !== undefined && values.yes !== true && isAtTerminal())
        if (!(await isConfirmed(visible(one.question(input)), process.stdin, process.stderr)))
          return EXIT_FAILED;
      const { answer, asked } = await atGateway(settings, async (client) => {
        const asked = (await one.resolve?.(client, input)) ?? input;
        const decided = new Decider(client).decide(operation.id, asked);
        return { asked, answer: await waitingFor("waiting for the answer", decided) };
      });
      if (values.json === true) printJson(answer);
      else {
        const isTerminal = process.stdout.isTTY === true;
        const shown = one.text(answer, asked, given, { isTerminal, paint: paintFor(process.stdout) });
        if (typeof shown === "string") printWarnings(answer);
        else for (const note of shown.notes) printNote(visibleLines(note));
        printLine(typeof shown === "string" ? shown : shown.text);
      }
      return 0;
    },
  };
}

/** An action's own flag does not affect the settings, even if they have one with the same name. */
function withoutFlags(values: CommonValues, flags: Syntax["flags"] = {}): CommonValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(flags, name)));
}
