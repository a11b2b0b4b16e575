/**
 * The public API of `casys-pml`: explicit named exports, nothing else.
 *
 * @module
 */
export { PmlError, type PmlErrorCode } from "./base/pml-error.js";
