import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { newSigner } from "../../../test/support/test-signer.js";
import { analyse } from "../../analysis/analyse.js";
import { sha256Hex } from "../../base/sha256.js";
import type { CapabilityVersion } from "../../registry/capability.js";
import { formatRecord } from "../../registry/export-format.js";
import { formatFqdn } from "../../registry/fqdn.js";
import { signedText } from "../../registry/signature.js";
import { savedVocabulary } from "../prepare/code-vocabulary.js";
import { checkRecord } from "./check-import.js";

const KEY = newSigner();
const CALLEE = sampleCapability("say:hello");
const SAVED = `return await mcp["${CALLEE.fqdn}"]({});`;

/** The outcome for a line whose owner signs this source of {@link SAVED}. */
async function signedAs(code: string): Promise<string> {
  const dependencies = [CALLEE.fqdn];
  const { canonicalCode, parameters } = analyse(
    SAVED,
    savedVocabulary({ toolsUsed: [], dependencies }, (ref) => ({
      ...CALLEE,
      ref,
      name: CALLEE.displayName,
      capability: CALLEE,
    })),
  );
  const codeHash = await sha256Hex(canonicalCode);
  const { org, project } = CALLEE;
  const fqdn = formatFqdn({ org, project, namespace: "say", action: "both", hash: codeHash.slice(0, 4) });
  const version: Omit<CapabilityVersion, "signature" | "publicKey"> = {
    fqdn,
    version: 1,
    previousHash: null,
    versionTag: undefined,
    code,
    savedCode: SAVED,
    canonicalCode,
    codeHash,
    parameters,
    toolsUsed: [],
    dependencies,
    changeSummary: undefined,
    updatedBy: "eve@local",
    updatedAt: new Date(0),
  };
  const record = sampleCapability("say:both", {
    fqdn,
    codeHash,
    version: 1,
    namespace: "say",
    action: "both",
  });
  const line = formatRecord(record, [{ ...version, ...KEY.sign(signedText(version)) }]);
  return await checkRecord(JSON.parse(line), KEY).then(
    () => "accepted",
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );
}

describe("[TB-4] a line whose owner signs a source that is not the code", () => {
  it("is refused, and with the source of the code it is not", async () => {
    expect(await signedAs("return await mcp.say.hello({});")).toBe("accepted");
    const refusal = "IMPORT_INVALID: the source of version 1 does not match the code that runs";
    expect(await signedAs("// Reads nothing\nreturn 1;")).toBe(refusal);
    expect(await signedAs("return await mcp.say.hello({ harmless: true });")).toBe(refusal);
  });
});
