/**
 * The limits that users can reach, with the unit last in each name. `pml doctor --json` shows them all.
 *
 * @module
 */
export const LIMITS = {
  /** Longest name in `tools/list`, so that a client's own prefix still fits 64. */
  wireNameChars: 48,
  /** Longest display name of a capability. */
  displayNameChars: 100,
  /** Capabilities in a chain of calls, including the first and the last. */
  capabilityDepth: 8,
  /** Capabilities that are shown as callers of one capability. */
  dependentsShown: 100,
  /** Capabilities whose lists of versions are kept in memory. */
  versionListsKept: 10_000,
  /** An export of capabilities: one line (one capability), the file, and versions of one capability. */
  importLineBytes: 4 * 1024 * 1024,
  importFileBytes: 256 * 1024 * 1024,
  importVersions: 1_000,
  /** Characters of one batch of lines to or from the gateway, unless a single line is larger. */
  importBatchChars: 2 * 1024 * 1024,
  /** One line of a backup, which is one row. */
  backupLineBytes: 256 * 1024 * 1024,
  /** Default time for which names of deleted capabilities stay reserved. */
  reserveDays: 30,
  /** A recording of a run: characters of tools' arguments and answers, calls, and recordings of one version. */
  recordingChars: 131_072,
  recordingCalls: 200,
  recordings: 24,
  /** Characters of a whole recording in an imported file. */
  recordingTextChars: 524_288,
  /** Time limit for the recordings of one batch of an imported file. */
  importReplaysMs: 60_000,
  /** Runs that the gateway keeps in memory for `pml test record`: of one version, and in total. */
  recentRunsOfVersion: 24,
  recentRunsChars: 8 * 1024 * 1024,
  /** Time limit for a replay of a recording: no tool is called. */
  replayMs: 10_000,
  /** Tool calls of clients that are kept in memory, to learn from them: per session, in total, and for how long. */
  observed: {
    sessionCalls: 200,
    sessions: 200,
    ms: 6 * 3_600_000,
    /** Of all results together, and of one. */
    chars: 16 * 1024 * 1024,
    resultChars: 256 * 1024,
  },
  /** Calls that `pml learn --from` accepts at once. */
  learnFromCalls: 200_000,
  /** Consecutive failures that make a capability suspect. */
  failuresInARow: 3,
  /** Names that a misspelt one is compared with. */
  nearestCandidates: 10_000,
  /** Tools on one page of `tools/list`, and prompts and resources on one page of their lists. */
  listPageItems: 200,
  /** Tools accepted from one server; the rest are omitted with a warning. */
  serverTools: 5_000,
  /** Distinct tool names accepted from one server while the gateway runs; names are never released. */
  serverToolNames: 20_000,
  /** Readings of one list of a server that keeps changing: this many at once, then one per second. */
  serverListReadings: 20,
  /** Pages read from one server's list before it counts as endless. */
  serverListPages: 100,
  /** One tool object as JSON; a larger one is omitted with a warning. */
  toolObjectBytes: 262_144,
  /** Nesting of one tool object; a deeper one is omitted with a warning. */
  toolObjectLevels: 200,
  /** Nesting of data that clients, commands and files send. */
  jsonLevels: 1_000,
  /** One JSON-RPC message on stdio or the local socket, either side. */
  messageBytes: 10 * 1024 * 1024,
  /** A message over the limit is skipped and answered with an error; beyond this size the connection is closed. */
  messageSkippedBytes: 256 * 1024 * 1024,
  /** Lines of a server's stdout that are not messages, before its connection is closed. */
  garbageLines: 10_000,
  /** An answer of the gateway to its own commands: a result of 8 MiB is in it twice, the second time quoted. */
  answerBytes: 64 * 1024 * 1024,
  /** Bytes that the other side has not read yet: above this, log and progress are dropped, and reading pauses. */
  sendBufferBytes: 16 * 1024 * 1024,
  /** One HTTP request body. */
  httpBodyBytes: 4 * 1024 * 1024,
  /** Sessions of 2025-era HTTP clients kept at once: in total, and of one owner (see `ownerOf`). */
  httpSessions: 1_000,
  httpOwnerSessions: 100,
  /** Tokens for HTTP. */
  accessTokens: 1_000,
  /** Requests with one token: the burst, and the rate per second; `http.requestsPerSecond` overrides both. */
  httpTokenBurst: 2_000,
  httpTokenPerSecond: 100,
  /** Attempts without a valid token from one address: the burst, and the rate per second. */
  httpFailuresBurst: 20,
  httpFailuresPerSecond: 1,
  /** Tokens and addresses that are counted at once. */
  httpCounted: 10_000,
  /** Clients on the local socket at once. */
  localConnections: 1_000,
  /** Resources that one client is subscribed to, including its listening streams. */
  clientSubscriptions: 1_000,
  /** Idle time after which a 2025-era HTTP session is closed. */
  httpSessionIdleMs: 3_600_000,
  /** How long a one-time link to the dashboard is valid, and how many unused ones are kept. */
  dashboardLinkMs: 60_000,
  dashboardLinks: 100,
  /** Sessions of browsers that have used one, and how long one may be idle. */
  dashboardSessions: 100,
  dashboardSessionIdleMs: 43_200_000,
  /** Event streams of dashboards at once; events that a page can request again, and its unread bytes. */
  dashboardStreams: 100,
  dashboardEventsKept: 1_000,
  dashboardBufferBytes: 1024 * 1024,
  /** Connecting to one real server, including its handshake and first listing. */
  serverConnectMs: 30_000,
  /** How long the first `tools/list` waits for servers that are still starting. */
  firstListWaitMs: 3_000,
  /** How long a listing waits for a store that is being opened. */
  storeOpenWaitMs: 15_000,
  /** One call of a real tool, unless the server entry says otherwise. */
  toolCallMs: 600_000,
  /** Open requests on one server, and in line for it. One client has half of what the others leave. */
  serverRequests: 256,
  serverRequestsWaiting: 8_000,
  /** How long a call waits for a place on a server; and for its turn, if clients take turns. */
  laneWaitMs: 60_000,
  laneTurnMs: 50_000,
  /** Back-off between attempts to connect to a server: first, and at most. */
  reconnectFirstMs: 500,
  reconnectMostMs: 30_000,
  /** A connected server is pinged this often, and has this long to answer. */
  healthEveryMs: 30_000,
  healthAnswerMs: 10_000,
  /** Changes within this time are announced as one. */
  burstMs: 200,
  /** A call that waits for its user's answer is cancelled after this. */
  inputWaitMs: 600_000,
  /** If a client declines PML's question faster than this, no person was asked. */
  quickestDeclineMs: 1_000,
  /** While a question is open, a client that requested progress gets it this often. */
  questionProgressMs: 500,
  /** Calls that wait for an answer at the same time. */
  inputWaits: 1_000,
  /** A question of a server: its message and each description in its form; and the schema of the form, as JSON. */
  questionChars: 4_000,
  questionSchemaChars: 65_536,
  /** A server's log messages, passed on to one client: messages per second, and the data of one as JSON. */
  logLinesPerSecond: 100,
  logDataChars: 8_192,
  /** Progress of one request, passed on to its client: messages per second, and the text of one. */
  progressPerSecond: 20,
  progressChars: 2_048,
  /** Reported changes of one resource, passed on per second. */
  resourceUpdatesPerSecond: 20,
  /** How much counters may lag. */
  usageFlushMs: 500,
  /** Usage rows kept in memory while the store is away; the oldest are dropped beyond it, with a warning. */
  usageBufferRows: 100_000,
  /** On PostgreSQL: how long a statement may wait for a lock, and how long it may take in total. */
  storeLockMs: 10_000,
  storeStatementMs: 60_000,
  /** A store that could not be reached is retried after this. */
  storeRetryMs: 5_000,
  /** Poll interval for changes of other gateways, in case a notification is lost. */
  changePollMs: 250,
  /** Memory further behind than this is updated before it is used; and the longest wait for that. */
  changeLagMs: 900,
  changeWaitMs: 1_000,
  /** Timeout of one reading of changes. */
  changeReadMs: 5_000,
  /** Changed records that are read at once. */
  changePageItems: 5_000,
  /** Changes are kept for at least this long, and deleted in steps of this. */
  changeKeepMs: 3_600_000,
  changePruneMs: 300_000,
  /** How long rows of `tool_usage` are kept. */
  usageKeepDays: 90,
  /** Size of the configuration file. */
  configBytes: 1_048_576,
  /** Size of a file with variables for a server (`envFile`). */
  envFileBytes: 262_144,
  /** The secret store: secrets, characters of a name, bytes of a value. */
  secrets: 1_000,
  secretNameChars: 100,
  secretBytes: 65_536,
  /** A command as the source of a value, `${exec:…}`: its time, and its output. */
  execValueMs: 20_000,
  execValueBytes: 65_536,
  /** Sign-in to a server: one request to an authorization server, its answer, and the wait for another gateway. */
  signInRequestMs: 20_000,
  signInAnswerBytes: 262_144,
  signInLockMs: 45_000,
  /** How long a started sign-in can be completed, and how many can be open. */
  signInOpenMs: 600_000,
  signInsOpen: 50,
  /** How long a call waits for its user, who was shown the sign-in address. */
  signInCallMs: 120_000,
  /** Pause after a failure of the authorization server: first, and at most. */
  signInRetryFirstMs: 1_000,
  signInRetryMostMs: 60_000,
  /** How soon a sign-in that another gateway has made or ended is noticed. */
  signInLookMs: 5_000,
  /** Users whose own connections to a server are kept open. */
  signInUsers: 50,
  /** A client's configuration file, its nesting, and the servers that are read from it. */
  clientFileBytes: 16 * 1024 * 1024,
  clientFileLevels: 200,
  clientServers: 1_000,
  /** `mcp-permissions.yaml`: reading YAML takes a second for each megabyte. */
  permissionsBytes: 262_144,
  /** Lines of a server's stderr kept for `pml doctor`. */
  serverStderrLines: 50,
  /** The background gateway exits after this time without a connection. */
  daemonIdleMs: 300_000,
  /** The owner file is written this often, and trusted for this long if the kernel cannot confirm the owner. */
  heartbeatEveryMs: 2_000,
  heartbeatBelievedMs: 10_000,
  /** Programs in the sandbox at the same time, and in line for it. One client has half of what the others leave. */
  runsAtOnce: 16,
  runsWaiting: 4_000,
  /** One program: default and maximum wall time, memory, and tool calls. */
  runTimeMs: 30_000,
  runTimeMostMs: 600_000,
  runMemoryMb: 128,
  /** The maximum memory of a process beyond its program's: it counts towards `sandbox.totalMemoryMb`. */
  runBesideMb: 128,
  runToolCalls: 1_000,
  /** The result of a program, as JSON. */
  runOutputBytes: 8 * 1024 * 1024,
  /** Everything that a program sends out of the sandbox in total, and the part that may wait to be read. */
  runFrameBytes: 256 * 1024 * 1024,
  runBacklogBytes: 64 * 1024 * 1024,
  /** Processes that are kept ready for programs. */
  sandboxReady: 4,
  /** They end when nothing has run for this long; longer if a run needs them soon after, at most this long. */
  sandboxIdleMs: 20_000,
  sandboxIdleMostMs: 300_000,
  /** The wait for a process, on a machine that is busy starting others. */
  sandboxStartMs: 60_000,
  /** A program's log output; the rest is truncated with a note. */
  runLogBytes: 65_536,
  /** The preview of each result in the answer to a run. */
  previewChars: 240,
  /** Results of tasks, as JSON in UTF-8: one, all of a run, and those that wait for the store. */
  resultBytes: 8 * 1024 * 1024,
  runResultBytes: 64 * 1024 * 1024,
  resultsWaitingBytes: 128 * 1024 * 1024,
  /** Runs whose results are summed up at the same time. */
  resultRuns: 10_000,
  /** Default time for which results are kept. */
  resultSeconds: 3_600,
  /** How long a run waits for a person, and an approval for its use. */
  approvalExpiresSeconds: 86_400,
  /** Characters of a PIN. */
  pinCharsLeast: 4,
  pinCharsMost: 64,
  /** After this many wrong PINs in a row the next has to wait; the time doubles with each further one. */
  pinWrongMost: 5,
  pinWaitMs: 30_000,
  pinWaitMostMs: 3_600_000,
  /** Calls that need approval, of one run, that a person is shown before it. */
  shownCalls: 200,
  /** Texts in the arguments of one call that are checked for PML's own files. */
  callTextsChecked: 2_000,
  /** In a longer text, only the names of those files are searched. */
  callTextCheckedChars: 65_536,
  /** Runs of one user in a project that wait for a person. */
  approvalsWaiting: 100,
  /** How long the existence of an expired result is remembered, and how often expired ones are deleted. */
  resultTraceMs: 86_400_000,
  resultPruneMs: 300_000,
  /** Characters of one page of a result: default and maximum. */
  resultPageChars: 10_000,
  resultPageMostChars: 100_000,
  /** An intent, and a description. */
  intentChars: 4_000,
  /** Cached results for equal runs: in memory, of one capability in the store, and the size of each. */
  cachedEntries: 1_000,
  cachedBytes: 64 * 1024 * 1024,
  cachedPerCapability: 10,
  cachedResultBytes: 1024 * 1024,
  cachedIntents: 1_000,
  /** Default lifetimes: in memory, in the store, and for a similar intent. */
  cachedExecutionMs: 300_000,
  cachedVolatileMs: 5_000,
  /** Intents of a capability, besides its own, that find it equally well. */
  otherIntents: 8,
  /** Newest traces in which discovery searches for earlier intents. */
  intentTraces: 50_000,
  cachedCapabilityMs: 1_800_000,
  cachedIntentMs: 3_600_000,
  /** How long the reasons for dropped results are kept. */
  invalidationsKeepDays: 90,
  /** Capabilities whose code is kept ready in memory. */
  loadedCapabilities: 2_000,
  /** Boot time of one sandbox process, until it waits for its run. */
  sandboxBootMs: 30_000,
  /** Starting the gateway in the background, until its socket answers. */
  daemonStartMs: 20_000,
  /** `pml serve` between two gateways: messages of the client that wait, and for how long. */
  relayHeld: 1_000,
  relayWaitMs: 40_000,
  /** A gateway that ends sooner than this after it was joined, without an answer, counts as failed. */
  relayStableMs: 10_000,
  /** Paths that are distinguished for one version; all others are counted together. */
  learntPaths: 1_000,
  /** Traces of nested runs that are stored for one run; further nested runs are counted without a trace. */
  nestedTraces: 1_000,
  /** Default time for which traces are kept, and their number for a capability and for other code. */
  traceDays: 90,
  /** The stored part of a run's error. */
  traceErrorChars: 2_000,
  capabilityTraces: 1_000,
  otherTraces: 10_000,
  /** The maximum that the ledger counts for one result, and for all results of a run, as in a client's context. */
  savedResultTokens: 25_000,
  savedRunTokens: 200_000,
  /** Days that the ledger distinguishes, and capabilities that it shows. */
  savedDays: 90,
  savedCapabilities: 100,
  /** Expired rows are deleted after the start and at this interval, in batches of this size. */
  pruneFirstMs: 10_000,
  pruneEveryMs: 3_600_000,
  pruneRows: 1_000,
  /** The part of a text that a model gets: its window could not hold more words anyway. */
  embeddedChars: 16_384,
  /** Timeout of embedding an intent (the search then continues without it), and of embedding other texts. */
  queryVectorMs: 3_000,
  vectorMs: 60_000,
  /** Timeout of loading a model. */
  modelLoadMs: 60_000,
  /** A model that is idle for this long is unloaded; longer if it is loaded again soon, at most this long. */
  modelIdleMs: 20_000,
  modelIdleMostMs: 300_000,
  /** The pause before a model that died is started again; and before one that has failed is. */
  modelRestartMs: 1_000,
  modelRetryMs: 600_000,
  /** Texts in one request to an endpoint, and characters. */
  endpointTexts: 64,
  endpointChars: 262_144,
  /** One answer of an endpoint. */
  endpointAnswerBytes: 64 * 1024 * 1024,
  /** Retries of a busy endpoint: how many, and the waits between them, first and at most. */
  endpointTries: 4,
  endpointWaitMs: 500,
  endpointWaitMostMs: 30_000,
  /** Batch sizes: texts whose vectors are requested from the store, and from the model. */
  vectorLookups: 256,
  vectorBatch: 16,
  /**
   * Memory for the vectors of tools, of capabilities or of intents, above which a database should have them: 174,000
   * vectors of 384 numbers. A search of 100,000 took 4 ms, without a round trip to a server.
   */
  vectorMemoryBytes: 268_435_456,
  /** How long a search waits for the model; after that it uses words only. */
  discoverPatienceMs: 2_500,
  /** The same for a model that has to be loaded first, once for each load. */
  discoverColdPatienceMs: 3_000,
  /** How long a search waits for the vectors of items that were added just before it. */
  discoverFreshPatienceMs: 500,
  /** For this long after its start, a gateway gives nothing to the model. */
  embedAfterMs: 3_000,
  /** Delay after a change, or the start, before new texts are embedded. */
  discoverPrepareMs: 1_000,
  /** Back-off of embedding after a failure: first, and at most. */
  embedRetryFirstMs: 1_000,
  embedRetryMostMs: 300_000,
  /** How long an unused vector is kept. */
  vectorKeepDays: 30,
  /** Default number of unnamed capabilities without a suggestion at which curation starts automatically. */
  curationAfter: 10,
  /** Capabilities that are curated at once: by a model, and in one call. */
  curationBatch: 5,
  curationAtOnce: 1_000,
  /** Renames in one call. */
  curationRenames: 500,
  /** Delay before the check whether curation is due: after something was learnt, and after a failure. */
  curationCheckMs: 1_000,
  curationRetryMs: 60_000,
  /** After this time without a renewal, another gateway continues a gateway's curation. */
  curationLeaseMs: 20_000,
  /** Failed batches in a row after which heuristics replace the model; and how many times a client is asked. */
  curationModelFailures: 2,
  curationQuestions: 4,
  /** Code that is shown with a suggestion: to an agent, and with full details. */
  curationCodeChars: 400,
  curationCodeMostChars: 4_000,
  /** Tasks of one graph. */
  dagTasks: 200,
  /** Code of one capability or run, in UTF-8. */
  codeBytes: 262_144,
  /** Nesting of brackets in code, and of operators and the like that can nest without brackets. */
  codeLevels: 1_000,
  codeChainTokens: 8_000,
  /** A model that refines names: one batch with all attempts, one answer, and the pause before a retry. */
  nameModelMs: 60_000,
  nameAnswerBytes: 262_144,
  nameRetryMs: 1_000,
  nameRetryMostMs: 20_000,
  /** The part of a field's schema that a parameter takes over, as JSON. */
  parameterSchemaChars: 2_000,
} as const;
