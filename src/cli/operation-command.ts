/**
 * Actions of commands that are renderings of operations: arguments, flags and help come from the schema of the
 * operation's input. An action adds how its answer is shown, and what is its own: prompts, files, flags that are no field.
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

/** Where the answer is shown. */
interface Screen {
  readonly isTerminal: boolean;
  readonly paint: Paint;
}

/** One thing that a command can do by an operation. */
type Rendered<Id extends OperationId, O extends Own> = Omit<Syntax<O>, "about" | "schema"> & {
  readonly operation: {
    readonly id: Id;
    readonly title?: string;
    readonly summary: string;
    readonly input: z.ZodObject;
  };
  /** What it does; the operation's summary by default. */
  readonly about?: string;
  /** Adds what is no field, or checks what goes together. */
  complete?(input: InputOf<Id>, given: GivenOf<O>, stdin: Stdin): InputOf<Id>;
  /** Replaces what people write, such as the beginning of an id, by what the operation takes. */
  resolve?(client: GatewayClient, input: InputOf<Id>): Promise<InputOf<Id>>;
  /** What a person at a terminal is asked first, unless `--yes` is given. */
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
    /** Where it is more than one call and its answer; answers the exit code. */
    | {
        session(input: InputOf<Id>, given: GivenOf<O>, settings: Settings): Promise<number>;
        readonly text?: never;
      }
  );

/** What an operation does, as part of a command. */
export function action<Id extends OperationId, const O extends Own = Own>(one: Rendered<Id, O>): Action {
  const { operation, title = operation.title ?? "", about = operation.summary } = one;
  const syntax: Syntax = { ...one, title, about, schema: () => inputSchemaOf(operation.input) as Schema };
  const read = (command: string, words: readonly string[], values: Values, stdin: Stdin) => {
    const line = readLine(command, syntax, words, values);
    // `parseArgs` has checked the values, and the gateway checks the input.
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

/** A flag of the action's own means nothing to the settings, though they know one with that name. */
function withoutFlags(values: CommonValues, flags: Syntax["flags"] = {}): CommonValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(flags, name)));
}
