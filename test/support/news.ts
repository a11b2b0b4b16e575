/** The notifications of a client, and a way to wait for them. */
export class News {
  /** The number of `tools/list_changed` notifications so far. */
  toolChanges = 0;
  promptChanges = 0;
  readonly updatedResources: string[] = [];
  readonly logs: string[] = [];
  readonly #waiting = new Set<() => void>();

  toolsChanged(): void {
    this.toolChanges += 1;
    this.#wake();
  }

  promptsChanged(): void {
    this.promptChanges += 1;
    this.#wake();
  }

  resourceUpdated(uri: string): void {
    this.updatedResources.push(uri);
    this.#wake();
  }

  logged(data: unknown): void {
    this.logs.push(String(data));
    this.#wake();
  }

  /** Resolves as soon as `isTrue` after a notification; rejects after `ms`, with all notifications. */
  until(isTrue: (news: News) => boolean, ms = 15_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        settle();
      };
      const look = () => {
        if (isTrue(this)) done(resolve);
      };
      const timer = setTimeout(
        () => done(() => reject(new Error(`No such news within ${ms} ms; there were: ${this.#told()}`))),
        ms,
      );
      this.#waiting.add(look);
      look();
    });
  }

  /**
   * Returns the number of tool notifications after none came for `ms`, which is more than twice the time in which the
   * gateway combines changes. Used to show that a notification does not come.
   */
  async toolChangesAtRest(ms = 500): Promise<number> {
    for (;;) {
      const told = this.toolChanges;
      const isTold = this.until(({ toolChanges }) => toolChanges > told, ms).then(
        () => true,
        () => false,
      );
      if (!(await isTold)) return told;
    }
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }

  #told(): string {
    const { toolChanges, promptChanges, updatedResources, logs } = this;
    return JSON.stringify({ toolChanges, promptChanges, updatedResources, logs });
  }
}
