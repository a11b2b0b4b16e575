import { describeRegistryModelOn, MODEL_STEPS } from "../../test/suites/registry-model.suite.js";
import { IS_FULL, sized } from "../../test/support/sizes.js";

if (IS_FULL) describeRegistryModelOn("PostgreSQL 15", MODEL_STEPS);
describeRegistryModelOn("PostgreSQL 18", sized(MODEL_STEPS / 5, 1_000));
