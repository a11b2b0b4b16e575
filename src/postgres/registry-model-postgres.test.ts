import { describeRegistryModelOn, MODEL_STEPS } from "../../test/suites/registry-model.suite.js";

describeRegistryModelOn("PostgreSQL 15", MODEL_STEPS);
describeRegistryModelOn("PostgreSQL 18", MODEL_STEPS / 5);
