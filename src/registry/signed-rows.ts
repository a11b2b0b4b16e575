/**
 * Rows that a person has signed, all in memory, so that a request waits for no store.
 *
 * @module
 */
export abstract class SignedRows<Row> {
  readonly #listeners = new Set<() => void>();
  #rows: ReadonlyMap<string, Row> = new Map();
  #ignored: readonly string[] = [];
  #loading: Promise<void> | undefined;
  #reads = 0;
  /** The newest reading whose rows count. */
  #newest = 0;

  /** What a row is found by. */
  protected abstract keyOf(row: Row): string;
  /** What a row allows, as text. */
  protected abstract rightsOf(row: Row): string;
  protected abstract read(): Promise<{ readonly rows: readonly Row[]; readonly ignored: readonly string[] }>;

  protected get rows(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  /** Names of rows that no person made through PML: they count for nothing. */
  get ignored(): readonly string[] {
    return this.#ignored;
  }

  /** Resolves when memory matches the store; if that fails, the next caller tries again. */
  loaded(): Promise<void> {
    this.#loading ??= this.reload();
    return this.#loading;
  }

  /** Reads the store again, as another gateway may have changed it. On failure the known rows stay. */
  reload(): Promise<void> {
    const loading = this.#read();
    this.#loading = loading;
    loading.catch(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
    return loading;
  }

  /** Tells whenever other rows count than before, or for more or less; answers how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected take(rows: readonly Row[]): void {
    const before = new Set(Array.from(this.#rows.values(), (row) => this.rightsOf(row)));
    this.#rows = new Map(rows.map((row) => [this.keyOf(row), row]));
    const isSame = before.size === this.#rows.size && rows.every((row) => before.has(this.rightsOf(row)));
    if (!isSame) for (const listener of this.#listeners) listener();
  }

  /** Of what has been removed just now, nothing counts any more, also where the store cannot be read again. */
  protected forget(isRemoved: (row: Row) => boolean): void {
    // What is being read may have been read before.
    this.#newest = this.#reads + 1;
    this.take([...this.#rows.values()].filter((row) => !isRemoved(row)));
  }

  async #read(): Promise<void> {
    this.#reads += 1;
    const number = this.#reads;
    const { rows, ignored } = await this.read();
    // What was read later has come already, and may lack a row that was removed in between.
    if (number < this.#newest) return;
    this.#newest = number;
    this.#ignored = ignored;
    this.take(rows);
  }
}
