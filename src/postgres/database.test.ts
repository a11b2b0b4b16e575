import { describeDatabase } from "../../test/suites/database.suite.js";
import { DATABASES } from "../../test/support/databases.js";

for (const { name, open } of DATABASES) describeDatabase(name, open);
