import { describeRegistryModelOn, MODEL_STEPS } from "../../test/suites/registry-model.suite.js";

describeRegistryModelOn("PGlite", MODEL_STEPS);
