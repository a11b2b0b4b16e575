/** Types of score.mjs for the tests; the scripts are JavaScript because Node 20 runs them as they are. */
export interface Scenario {
  name: string;
  passed: number;
  failed: number;
  warnings: number;
  /** Checks the fixture passes when the suite talks to it directly. */
  wanted: number;
  required: boolean;
  /** Why the suite does not score it. */
  notScored?: string;
  verdict: "passed" | "failed" | "expected" | "not scored";
  problems: string[];
}

export interface Report {
  suites: { suite: string; seconds: number; scenarios: Scenario[]; stale: string[] }[];
  unexpected: { suite: string; scenario: string; checks: string; problems: string[] }[];
  stale: string[];
}

export declare function scoreGateway(options: {
  /** {config}, {dir} and {port} are filled in. */
  command: string;
  upstream: "stdio" | "http";
  only?: string;
}): Promise<Report>;
