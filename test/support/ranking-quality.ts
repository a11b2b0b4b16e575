/** The results of a query, best first, and the correct ones. */
export interface Ranked {
  readonly found: readonly string[];
  readonly relevant: readonly string[];
}

export interface RankingQuality {
  /** The quality of the order of the first five; 1 if all correct results come first. */
  readonly ndcg5: number;
  /** The share of correct results that is first, or among the first five. */
  readonly recall1: number;
  readonly recall5: number;
}

/** Means over the queries, between 0 and 1. */
export function qualityOf(all: readonly Ranked[]): RankingQuality {
  const mean = (of: (one: Ranked) => number) => all.reduce((sum, one) => sum + of(one), 0) / all.length;
  return {
    ndcg5: mean(ndcg5),
    recall1: mean((one) => recall(one, 1)),
    recall5: mean((one) => recall(one, 5)),
  };
}

function ndcg5({ found, relevant }: Ranked): number {
  const gain = (place: number) => 1 / Math.log2(place + 2);
  const ideal = relevant.slice(0, 5).reduce((sum, _, place) => sum + gain(place), 0);
  const got = found
    .slice(0, 5)
    .reduce((sum, id, place) => sum + (relevant.includes(id) ? gain(place) : 0), 0);
  return got / ideal;
}

function recall({ found, relevant }: Ranked, places: number): number {
  return found.slice(0, places).filter((id) => relevant.includes(id)).length / relevant.length;
}
