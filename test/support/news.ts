/** What a client was told without asking, and a way to wait for it. */
export class News {
  /** `tools/list_changed` notifications so far. */
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

  /** Resolves as soon as `isTrue` after some piece of news; rejects, with everything there was, after `ms`. */
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
   * How often it was told of tools, once nothing was for `ms`, more than twice the time within which the gateway makes
   * several changes one: of what must not come, nothing says that it did not.
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
