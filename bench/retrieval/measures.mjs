/** @typedef {{ ndcg5: number, recall1: number, recall5: number, recall10: number, mrr: number }} Quality */

const LOOKED_AT = 10;

/** The quality of one ranking. @returns {Quality} */
export function qualityOf(found, relevant) {
  const gain = (place) => 1 / Math.log2(place + 2);
  let got = 0;
  let first = 0;
  let five = 0;
  let ten = 0;
  found.slice(0, LOOKED_AT).forEach((key, place) => {
    if (!relevant.has(key)) return;
    if (place < 5) {
      got += gain(place);
      five += 1;
    }
    ten += 1;
    if (first === 0) first = place + 1;
  });
  let ideal = 0;
  for (let place = 0; place < Math.min(5, relevant.size); place += 1) ideal += gain(place);
  return {
    ndcg5: got / ideal,
    recall1: first === 1 ? 1 / relevant.size : 0,
    recall5: five / relevant.size,
    recall10: ten / relevant.size,
    mrr: first === 0 ? 0 : 1 / first,
  };
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const RESAMPLES = 1_000;

/** A generator of numbers between 0 and 1: the same seed gives the same numbers. */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The mean of the means of the lists, and its 95 % interval: bootstrap within each list, with a fixed seed. */
export function interval(lists) {
  const random = seeded(7);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(lists.map((list) => mean(list.map(() => list[Math.floor(random() * list.length)])))),
  ).sort((a, b) => a - b);
  return {
    middle: mean(lists.map(mean)),
    low: means[Math.floor(RESAMPLES * 0.025)],
    high: means[Math.floor(RESAMPLES * 0.975)],
  };
}

/** The calibration error: how far scores differ from how often they are right, over ten bins. */
export function calibrationError(scored) {
  const bins = Array.from({ length: 10 }, () => ({ said: 0, right: 0 }));
  for (const { score, isRight } of scored) {
    const bin = bins[Math.min(9, Math.floor(score * 10))];
    bin.said += score;
    bin.right += isRight ? 1 : 0;
  }
  return bins.reduce((sum, { said, right }) => sum + Math.abs(said - right), 0) / scored.length;
}
