import type { NameModelSettings } from "../models/create-name-model.js";
import type { Config } from "./config-schema.js";

export interface CurationSettings {
  /** Unnamed capabilities after which it starts by itself. */
  readonly after: number;
  readonly mode: "suggest" | "auto" | "off";
  readonly model: NameModelSettings;
}

const AFTER = 10;

export function curationSettings({ curation }: Config): CurationSettings {
  return {
    after: curation?.after ?? AFTER,
    mode: curation?.mode ?? "suggest",
    model: curation?.model ?? "none",
  };
}
