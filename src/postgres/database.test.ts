import { describeDatabase } from "../../test/suites/database.suite.js";
import { databases } from "../../test/support/databases.js";

for (const { name, open } of databases()) describeDatabase(name, open);
