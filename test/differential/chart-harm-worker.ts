/** Damages charts of rising seeds and tells what came of each, to be ended by whoever started it. */
import { parentPort, workerData } from 'node:worker_threads'
import { helmOracle } from '../bed/helm-oracle.ts'
import { type Ending, endingOf } from './chart-harm.ts'
import { otherVerdict } from './chart-verdicts.ts'
import { chartsBelow } from './charts-below.ts'
import { type DamagedChart, damagedChart, soundChart } from './damaged-charts.ts'

/** What a worker tells: that it begins with a seed, or what it found. */
export interface HarmReport {
  readonly seed: number
  readonly rendered: number
  readonly refused: number
  /** Charts that Helm did not survive, or not in half a minute. */
  readonly unanswered: number
  readonly harm?: string
}

const { seed: first, folder } = workerData as { readonly seed: number; readonly folder?: string }
const given = folder === undefined ? [] : chartsBelow(folder)
const tally = { rendered: 0, refused: 0, unanswered: 0 }
let oracle = await helmOracle()
for (let seed = first; ; seed++) {
  parentPort!.postMessage({ seed, ...tally } satisfies HarmReport)
  const sound = given.length > 0 && seed % 2 === 0 ? given[(seed / 2) % given.length]!() : soundChart(seed)
  const chart = damagedChart(sound, seed)
  const ending = await endingOf(chart)
  tally[ending.refusal === undefined ? 'rendered' : 'refused']++
  const harm = ending.harm ?? (await verdictOf(chart, ending))
  if (harm !== undefined) parentPort!.postMessage({ seed, ...tally, harm } satisfies HarmReport)
}

/** A Helm that a chart was the end of is replaced. */
async function verdictOf(chart: DamagedChart, ending: Ending): Promise<string | undefined> {
  try {
    return await otherVerdict(oracle, chart, ending)
  } catch {
    tally.unanswered++
    oracle = await helmOracle()
    return undefined
  }
}
