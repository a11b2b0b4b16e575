/** The page of capabilities: all of them, with search by meaning, filters, and suggested names for unnamed ones. */
import { useSignal } from "@preact/signals";
import { useCallback, useRef } from "preact/hooks";
import type { Listed, Row } from "../answers.js";
import { call, type InputOf } from "../api.js";
import { useKeys } from "../keys.js";
import { useLoaded } from "../loaded.js";
import { Badge, Choice, Empty, Loading, Meter, Name, Problem, Trust } from "../parts/bits.js";
import { Time } from "../parts/time.js";
import { VirtualList } from "../parts/virtual-list.js";
import { amount, counted } from "../parts/when.js";
import { href, route, setQuery } from "../router.js";
import { Curation } from "./curation.js";
import { LearntFromCalls } from "./learning.js";

const PAGE = 500;
const ROW = 56;
const FOUND = 50;
const TYPING_MS = 200;

export function CapabilitiesPage() {
  const { query } = route.value;
  const tab = query.get("tab") ?? "all";
  const words = query.get("q") ?? "";
  return (
    <>
      <header class="page-head">
        <h1>Capabilities</h1>
        <p class="lead">Programs that agents wrote, that worked, and that can be called by name.</p>
      </header>
      <div class="toolbar">
        <Search words={words} />
        <Choice
          label="Which capabilities"
          value={tab}
          onChange={(value) => setQuery("tab", value === "all" ? undefined : value)}
          options={[
            { value: "all", label: "All" },
            { value: "named", label: "Named" },
            { value: "unnamed", label: "Unnamed" },
            { value: "curate", label: "Give names" },
            { value: "learnt", label: "From calls" },
          ]}
        />
        {tab === "curate" || tab === "learnt" || words !== "" ? null : <Sort />}
      </div>
      {tab === "curate" ? (
        <Curation />
      ) : tab === "learnt" ? (
        <LearntFromCalls />
      ) : words === "" ? (
        <AllRows tab={tab} key={`${tab} ${query.get("sort") ?? ""}`} />
      ) : (
        <Found words={words} />
      )}
    </>
  );
}

function Search({ words }: { readonly words: string }) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useKeys([{ key: "/", what: "Search", run: () => field.current?.focus() }], []);
  return (
    <input
      type="search"
      class="search"
      ref={field}
      aria-label="Search capabilities by what they do"
      placeholder="What should it do?  /"
      defaultValue={words}
      onInput={({ currentTarget: { value } }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setQuery("q", value.trim()), TYPING_MS);
      }}
    />
  );
}

function Sort() {
  const value = route.value.query.get("sort") ?? "usage";
  return (
    <label class="inline">
      Sort by{" "}
      <select value={value} onChange={({ currentTarget }) => setQuery("sort", currentTarget.value)}>
        <option value="usage">most used</option>
        <option value="name">name</option>
        <option value="created">newest</option>
      </select>
    </label>
  );
}

function AllRows({ tab }: { readonly tab: string }) {
  const sort = (route.value.query.get("sort") ?? "usage") as "usage" | "name" | "created";
  const rows = useSignal<readonly Row[]>([]);
  const total = useSignal<number | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const isBusy = useRef(false);
  const read = useCallback(
    async (offset: number, limit: number) => {
      if (isBusy.current) return;
      isBusy.current = true;
      const wanted: InputOf<"cap:list"> = {
        limit,
        offset,
        sort_by: sort,
        ...(tab === "named" ? { named_only: true } : tab === "unnamed" ? { unnamed_only: true } : {}),
      };
      try {
        const page = (await call("cap:list", wanted)) as Listed;
        const fresh = new Set(page.capabilities.map(({ id }) => id));
        const others = rows.value.filter(({ id }) => !fresh.has(id));
        // Rows that were loaded further down stay, so that the reader keeps the position.
        rows.value =
          offset === 0
            ? [...page.capabilities, ...others.slice(0, Math.max(0, page.total - fresh.size))]
            : [...others, ...page.capabilities];
        total.value = page.total;
        error.value = undefined;
      } catch (caught) {
        error.value = caught;
      } finally {
        isBusy.current = false;
      }
    },
    [tab, sort],
  );
  // After a change, only the first page is loaded again.
  const { reload } = useLoaded(() => read(0, PAGE), [tab, sort], ["capability.changed"]);
  const more = useCallback(() => {
    if (total.value !== undefined && rows.value.length < total.value) void read(rows.value.length, PAGE);
  }, [read]);
  if (total.value === undefined)
    return error.value === undefined ? (
      <Loading what="the capabilities" />
    ) : (
      <Problem error={error.value} retry={reload} />
    );
  if (rows.value.length === 0)
    return tab === "unnamed" ? (
      <Empty title="All capabilities have names" />
    ) : (
      <Empty title="Nothing is remembered yet">
        When an agent runs code with <code>pml_execute</code> and it works, it appears here.
      </Empty>
    );
  return (
    <>
      <Problem error={error.value} retry={reload} />
      <p class="muted small" role="status">
        {counted(total.value, "capability", "capabilities")}
      </p>
      <VirtualList
        rows={rows.value}
        rowHeight={ROW}
        label="Capabilities"
        total={total.value}
        keyOf={({ id }) => id}
        hrefOf={({ name }) => href("capability", name)}
        onEnd={more}
      >
        {(row) => <RowView row={row} />}
      </VirtualList>
    </>
  );
}

function RowView({ row }: { readonly row: Row }) {
  return (
    <>
      <span class="row-main">
        <Name name={row.name} />
        <span class="muted cut">{row.description}</span>
      </span>
      <span class="row-badges">
        {row.details?.named === false ? <Badge tone="info">unnamed</Badge> : null}
        <Trust state={row.details?.trust ?? row.trust} />
      </span>
      <span class="row-number">
        {amount(row.usage_count)} <span class="muted">{row.usage_count === 1 ? "use" : "uses"}</span>
      </span>
      <span class="row-number wide">
        {row.usage_count === 0 ? null : (
          <Meter share={row.success_rate} label={`${Math.round(row.success_rate * 100)}% worked`} />
        )}
      </span>
      <span class="row-when muted">
        {row.details?.last_used_at === undefined ? null : <Time at={row.details.last_used_at} />}
      </span>
    </>
  );
}

function Found({ words }: { readonly words: string }) {
  const { state, reload } = useLoaded(
    () => call("pml:discover", { intent: words, limit: FOUND, filter: { type: "all" } }),
    [words],
  );
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="what fits" /> : <Problem error={error} retry={reload} />;
  if (value.results.length === 0) return <Empty title={value.note ?? "Nothing fits"}>{value.hint}</Empty>;
  return (
    <>
      <Problem error={error} retry={reload} />
      <p class="muted small" role="status">
        {counted(value.results.length, "match", "matches")}, best first, as agents find them
        {value.ranking === "words" ? " (by words alone)" : ""}
      </p>
      <VirtualList
        rows={value.results}
        rowHeight={ROW}
        label="What fits"
        keyOf={({ id }) => id}
        hrefOf={(item) => (item.type === "capability" ? href("capability", item.id) : href("servers"))}
      >
        {(item) => (
          <>
            <span class="row-main">
              <Name name={item.type === "capability" ? item.name : item.id} />
              <span class="muted cut">{item.description}</span>
            </span>
            <span class="row-badges">
              {item.type === "tool" ? <Badge>tool</Badge> : <Trust state={item.trust} />}
            </span>
            <span class="row-number wide">
              <Meter share={item.score} label={`fits ${Math.round(item.score * 100)}%`} />
            </span>
            <span class="row-why muted cut">{item.why}</span>
          </>
        )}
      </VirtualList>
    </>
  );
}
