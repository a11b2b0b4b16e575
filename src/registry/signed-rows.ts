/**
 * Rows that a person has signed, all in memory, so that a request does not wait for the store.
 *
 * @module
 */
export abstract class SignedRows<Row> {
  readonly #listeners = new Set<() => void>();
  #rows: ReadonlyMap<string, Row> = new Map();
  #ignored: readonly string[] = [];
  #loading: Promise<void> | undefined;
  #reads = 0;
  /** The number of the newest reading that was applied. */
  #newest = 0;

  /** The lookup key of a row. */
  protected abstract keyOf(row: Row): string;
  /** The permissions of a row, as text. */
  protected abstract rightsOf(row: Row): string;
  protected abstract read(): Promise<{ readonly rows: readonly Row[]; readonly ignored: readonly string[] }>;

  protected get rows(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  /** Names of ignored rows, because no person created them through PML. */
  get ignored(): readonly string[] {
    return this.#ignored;
  }

  /** Resolves when memory matches the store; if that fails, the next caller tries again. */
  loaded(): Promise<void> {
    this.#loading ??= this.reload();
    return this.#loading;
  }

  /** Reads the store again, since another gateway may have changed it. If that fails, the known rows stay. */
  reload(): Promise<void> {
    const loading = this.#read();
    this.#loading = loading;
    loading.catch(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
    return loading;
  }

  /**
   * Calls the listener whenever the valid rows or their permissions change; returns a function that unsubscribes it.
   */
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
    // A later reading was applied already; this one may contain a row that was removed in between.
    if (number < this.#newest) return;
    this.#newest = number;
    this.#ignored = ignored;
    this.take(rows);
  }
}
