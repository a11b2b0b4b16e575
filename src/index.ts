/**
 * The public API of `casys-pml`: explicit named exports, nothing else.
 *
 * @module
 */
export {
  type CapabilityRecord,
  type CapabilitySummary,
  createPml,
  type DeleteAnswer,
  type DiscoverAnswer,
  type DiscoveredCapability,
  type DiscoveredTool,
  type DiscoverOptions,
  type DryRunAnswer,
  type ExecuteAnswer,
  type Execution,
  type ForkAnswer,
  type HistoryAnswer,
  type ListAnswer,
  type LookupAnswer,
  type MergeAnswer,
  type NewVersion,
  type Pml,
  type PmlOptions,
  type Query,
  type RecordChanges,
  type RenameAnswer,
  type RunsAnswer,
  type SaveAnswer,
  type ServerHistoryAnswer,
  type ServerLookupAnswer,
  type ServerWhoisAnswer,
  type TraceAnswer,
  type WhoisAnswer,
} from "./app/pml.js";
export { PmlError, type PmlErrorCode } from "./base/pml-error.js";
