/**
 * `node test/faults/killed-runs/main.mjs [KILLS]`: kills gateways that many times (500 when left out), an equal number
 * of times at each point, and prints what became of the runs. Needs the built program.
 */
import { KilledGateways, newTotals, POINTS, seeThrough } from "./killed-runs.mjs";

const wanted = Number(process.argv[2] ?? 500);
const totals = newTotals();
const gateways = new KilledGateways();
const killed = () => Object.values(totals.kills).reduce((sum, kills) => sum + kills, 0);
try {
  for (let number = 0; killed() < wanted; number += 1) {
    // Every point comes first, second, … equally often.
    const points = POINTS.map((_, index) => POINTS[(index + number) % POINTS.length]);
    await seeThrough(gateways, number, points, totals);
    if (number % 10 === 9) process.stderr.write(`${killed()} kills, ${totals.runs} runs\n`);
  }
} finally {
  await gateways.close();
}
process.stdout.write(`${JSON.stringify({ ...totals, allKills: killed() }, null, 2)}\n`);
process.exitCode = totals.faults.length === 0 ? 0 : 1;
