/**
 * One QuickJS in one instance of WebAssembly, with the guest started in it.
 *
 * The memory of the instance is its whole state. Between runs, it is restored byte by byte to its state after the
 * guest's start, so nothing of the previous run remains. The memory has a maximum, which no allocation of the code can
 * exceed. The functions that the guest gets take and return numbers and text; errors of these functions or of the
 * engine never cross.
 *
 * @module
 */
import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type VmCallResult,
} from "quickjs-emscripten-core";
import type { QuickjsHost } from "../guest/quickjs-guest.js";
import { answerUrl } from "./answer-url.js";
import { createBoundedMemory, type WasmModule } from "./web-assembly.js";

/** The name of the guest's global for its host; the type of the guest's own constant pins it. */
const HOST_GLOBAL: typeof import("../guest/quickjs-guest.js").HOST_GLOBAL = "quickjsHost";
// Its types are for CommonJS, where the export is nested one level deeper.
const RELEASE = variant as unknown as SyncVariant;
const GUEST = "guest.quickjs-guest.js";
/** Imports between modules of the guest; their names appear in stacks, so they are not paths. */
const IMPORT = /^(?:\.|\.\.\/(guest|protocol))\/([a-z0-9-]+\.js)$/;
const PAGES_PER_MB = 16;
/** The minimum of the engine's build. */
const PAGES_LEAST = 256;
/** The engine's own stack; the process's stack must have room for the same calls. */
const STACK_BYTES = 256 * 1024;
/** Jobs between two checks whether the run is over. */
const JOBS_AT_ONCE = 100;
const PARENT_EVERY_MS = 500;

type Given = QuickJSHandle | VmCallResult<QuickJSHandle> | undefined;
type SyncVariant = Exclude<Parameters<typeof newQuickJSWASMModuleFromVariant>[0], Promise<unknown>>;

export interface QuickjsVmOptions {
  readonly wasm: WasmModule;
  readonly memoryMb: number;
  /** The text of the guest's module `file`, in the folder of `src/sandbox/`. */
  readModule(folder: string, file: string): string;
  send(lines: string): void;
  /** Calls `job`, in which code runs because a timer is due. */
  step(job: () => void): void;
  /**
   * Called with an error that the engine itself threw while it created a function of the code: its state is not trusted
   * any more.
   */
  fault(thrown: unknown): void;
  /** Polled while code runs: whether the run should be stopped. */
  isOver(): boolean;
  /** Like {@link isOver}, but also polled in the middle of a loop: whether to stop it there. */
  isAbandoned(): boolean;
}

export interface QuickjsVm {
  /** Gives the guest a line of the host, and lets the code run until it waits. Throws only errors of the engine. */
  receive(line: string): void;
  /** Whether no timer will wake the code. */
  isIdle(): boolean;
  /** Whether an allocation of the code has ever failed. */
  isOutOfMemory(): boolean;
  memoryBytes(): number;
  /** Prepares it for another run. Not after an error of the engine itself. */
  putBack(): void;
}

export async function createQuickjsVm(options: QuickjsVmOptions): Promise<QuickjsVm> {
  const pages = Math.max(PAGES_LEAST, options.memoryMb * PAGES_PER_MB);
  const memory = createBoundedMemory(PAGES_LEAST, pages);
  const engine = await newQuickJSWASMModuleFromVariant(
    newVariant(RELEASE, {
      wasmModule: options.wasm,
      wasmMemory: memory.memory,
      // The engine's own messages must not go to stdout, which is for frames.
      emscriptenModule: { print() {}, printErr() {} } as object,
    }),
  );
  const runtime = engine.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(abandonment(options.isAbandoned));
  const context = runtime.newContext();
  const timers = new Map<number, NodeJS.Timeout>();
  let fire: QuickJSHandle | undefined;

  installHost(context, options.fault, {
    send: options.send,
    now: () => performance.now(),
    setTimer: (id, ms) =>
      void timers.set(
        id,
        setTimeout(() => options.step(() => due(id)), ms),
      ),
    clearTimer(id) {
      clearTimeout(timers.get(id));
      timers.delete(id);
    },
  });
  const guest = loadGuest(runtime, context, options.readModule);
  const receive = context.getProp(guest, "receive");
  fire = context.getProp(guest, "fire");
  memory.keep();

  function due(id: number): void {
    timers.delete(id);
    if (fire === undefined) return;
    context.newNumber(id).consume((handle) => callGuest(context, fire as QuickJSHandle, handle));
    runJobs(runtime, options.isOver);
  }

  return {
    receive(line) {
      context.newString(line).consume((handle) => callGuest(context, receive, handle));
      runJobs(runtime, options.isOver);
    },
    isIdle: () => timers.size === 0,
    isOutOfMemory: memory.isRefused,
    memoryBytes: memory.bytes,
    putBack() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      memory.putBack();
    },
  };
}

function abandonment(isAbandoned: () => boolean): () => boolean {
  let askedAt = performance.now();
  return () => {
    if (performance.now() - askedAt < PARENT_EVERY_MS) return false;
    askedAt = performance.now();
    return isAbandoned();
  };
}

function installHost(
  context: QuickJSContext,
  fault: (thrown: unknown) => void,
  host: Pick<QuickjsHost, "send" | "now" | "setTimer" | "clearTimer">,
): void {
  const object = context.newObject();
  const give = (name: keyof QuickjsHost, job: (...given: QuickJSHandle[]) => Given): void => {
    context
      .newFunction(name, (...given) => job(...given))
      .consume((handle) => context.setProp(object, name, handle));
  };
  give("send", (lines) => void host.send(textOf(lines)));
  give("now", () => context.newNumber(host.now()));
  give("setTimer", (id, ms) => void host.setTimer(numberOf(id), numberOf(ms)));
  give("clearTimer", (id) => void host.clearTimer(numberOf(id)));
  give("askUrl", (question) => context.newString(answerUrl(textOf(question))));
  give("evaluate", (source, name) => {
    try {
      return context.evalCode(JSON.parse(textOf(source)) as string, textOf(name), { type: "global" });
    } catch (thrown) {
      fault(thrown);
      return undefined;
    }
  });
  context.setProp(context.global, HOST_GLOBAL, object);
  object.dispose();

  function textOf(handle: QuickJSHandle | undefined): string {
    return handle === undefined ? "" : context.getString(handle);
  }

  function numberOf(handle: QuickJSHandle | undefined): number {
    return handle === undefined ? 0 : context.getNumber(handle);
  }
}

/** Loads the guest's modules, and none afterwards: `import()` in the code finds nothing. */
function loadGuest(
  runtime: QuickJSRuntime,
  context: QuickJSContext,
  readModule: (folder: string, file: string) => string,
): QuickJSHandle {
  const load = (name: string): string => {
    const [folder = "", ...file] = name.split(".");
    return readModule(folder, file.join("."));
  };
  runtime.setModuleLoader(load, (from, name) => {
    const [, folder = from.split(".")[0], file] = IMPORT.exec(name) ?? [];
    return file === undefined ? noModule(name) : `${folder}.${file}`;
  });
  const guest = context.unwrapResult(context.evalCode(load(GUEST), GUEST, { type: "module" }));
  runJobs(runtime, () => false);
  // The name itself is refused, because loaded modules are found by name alone.
  runtime.setModuleLoader(noModule, (_from, name) => noModule(name));
  return guest;
}

function noModule(name: string): { readonly error: Error } {
  return { error: new Error(`There is no module ${name}`) };
}

function callGuest(context: QuickJSContext, method: QuickJSHandle, argument: QuickJSHandle): void {
  const result = context.callFunction(method, context.undefined, argument);
  // The guest itself catches errors of the code; an error here is out of memory or a stack overflow.
  if (result.error !== undefined) result.error.dispose();
  else result.value.dispose();
}

function runJobs(runtime: QuickJSRuntime, isOver: () => boolean): void {
  while (runtime.hasPendingJob() && !isOver()) {
    const result = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (result.error !== undefined) result.error.dispose();
  }
}
