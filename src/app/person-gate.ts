import { existsSync } from "node:fs";
import { PmlError } from "../base/pml-error.js";
import type { DecisionGate, PersonAsked } from "../gateway/decision-gate.js";
import { sectionOf } from "./config-file.js";
import { signingKeyDirectory } from "./data-directory.js";
import { Pin } from "./pin.js";
import type { Settings } from "./settings.js";

export interface GateSettings {
  /** The directory of the PIN. */
  readonly keyDir: string;
  /** The directory of the signing key, if it is another one: a PIN beside it counts too. */
  readonly signingDir?: string | undefined;
  /** `approvals.scripted`: a decision needs no terminal. Ignored if a PIN is set or required. */
  readonly scripted?: boolean | undefined;
  /** `approvals.pin`: no decisions are possible before a PIN is set. */
  readonly needsPin?: boolean | undefined;
}

/** The gate of a configuration, which may not be validated yet. */
export function gateSettings(settings: Settings): GateSettings {
  const { scripted, pin } = sectionOf(settings.config, "approvals");
  return {
    keyDir: settings.keyDir,
    signingDir: signingKeyDirectory(settings),
    scripted: scripted === true,
    needsPin: pin === true,
  };
}

/** The one gate for decisions of people, in a gateway and in commands that decide without one. */
export class PersonGate implements DecisionGate {
  readonly #pins: readonly Pin[];
  readonly #scripted: boolean;
  readonly #needsPin: boolean;

  constructor({ keyDir, signingDir = keyDir, scripted = false, needsPin = false }: GateSettings) {
    this.#pins = [...new Set([keyDir, signingDir])].map((directory) => new Pin(directory));
    this.#scripted = scripted;
    this.#needsPin = needsPin;
  }

  async admit({ terminal, dashboard, pin }: PersonAsked): Promise<void> {
    const pins = this.#set();
    const isPerson = terminal || dashboard === true;
    if (pins.length === 0) {
      if (this.#needsPin) throw noPin();
      if (!isPerson && !this.#scripted) throw noTerminal(FOR_SCRIPTS);
      return;
    }
    if (!isPerson)
      throw noTerminal("A PIN is set, so approvals.scripted is ignored; the PIN is asked for in a terminal.");
    if (pin === undefined)
      throw new PmlError("PIN_REQUIRED", "Cannot decide without the PIN", {
        hint:
          dashboard === true
            ? "The page asks for it with the decision."
            : "Run the command in a terminal, where it asks for the PIN.",
      });
    for (const one of pins) await one.check(pin);
  }

  takesAnswers(): boolean {
    return this.#goesWithoutPin();
  }

  isScripted(): boolean {
    return this.#scripted && this.#goesWithoutPin();
  }

  /** Describes what a decision needs, for people. Throws if that is unknown, or if no decision is possible. */
  describe(): string {
    if (this.#set().length > 0) return "a person at a terminal or in the dashboard, with the PIN";
    if (this.#needsPin) throw noPin();
    return this.#scripted
      ? "any program, without a terminal (approvals.scripted)"
      : "a person at a terminal, in the dashboard or in a local client; no PIN is set";
  }

  /** If the signing key is elsewhere, that directory's permissions are not checked until it contains a PIN. */
  #set(): readonly Pin[] {
    return this.#pins.filter((pin, index) => (index === 0 || existsSync(pin.file)) && pin.isSet());
  }

  #goesWithoutPin(): boolean {
    if (this.#needsPin) return false;
    try {
      return this.#set().length === 0;
    } catch {
      // It is unknown whether a PIN is set. `admit` gives the reason.
      return false;
    }
  }
}

const FOR_SCRIPTS =
  "For scripts, set approvals.scripted to true in the configuration and accept it with `pml trust`; agents with a shell can then decide, too.";

function noTerminal(hint: string): PmlError {
  return new PmlError(
    "NOT_ALLOWED",
    "Only a person at a terminal can decide this, and there is no terminal",
    {
      hint: `Run the command in a terminal. ${hint}`,
    },
  );
}

function noPin(): PmlError {
  return new PmlError(
    "NOT_ALLOWED",
    "Cannot decide: approvals.pin is true in the configuration, and no PIN is set",
    {
      hint: "Set one with `pml pin set`.",
    },
  );
}
