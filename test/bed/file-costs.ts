import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** What a test file took, in seconds: on the clock, and of processors, those of the programs that it started among them. */
export interface FileCost {
  readonly file: string
  readonly seconds: number
  readonly processorSeconds: number
}

/** By file, from lines of JSON; the last line of each file counts. */
export const costsIn = (lines: string): ReadonlyMap<string, FileCost> =>
  new Map(
    lines
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as FileCost)
      .map(cost => [cost.file, cost]),
  )

/** So that no long one is left alone at the end. What nobody has measured yet may be long, and goes before. */
export const longestFirst = (files: readonly string[], costs: ReadonlyMap<string, FileCost>): string[] => {
  const seconds = (file: string): number => costs.get(file)?.seconds ?? Number.MAX_VALUE
  return files.toSorted((a, b) => seconds(b) - seconds(a))
}

/** The slowest files and the sums of all, for who reads how a run went. */
export function costReport(costs: readonly FileCost[], shown = 10): string {
  const sum = (of: (cost: FileCost) => number): number => costs.reduce((total, cost) => total + of(cost), 0)
  const line = (what: string, seconds: number, processorSeconds: number): string =>
    `${seconds.toFixed(1).padStart(7)} s${processorSeconds.toFixed(1).padStart(7)} s  ${what}`
  const slowest = costs.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown)
  return [
    '  clock  processor',
    ...slowest.map(({ file, seconds, processorSeconds }) => line(file, seconds, processorSeconds)),
    line(
      `${costs.length} files`,
      sum(cost => cost.seconds),
      sum(cost => cost.processorSeconds),
    ),
  ].join('\n')
}

/** Costs of earlier runs, in a file that outlives the clone: of files that have not run since as well. */
export const rememberedCosts = (path: string): ReadonlyMap<string, FileCost> =>
  existsSync(path) ? costsIn(readFileSync(path, 'utf8')) : new Map()

export function rememberCosts(path: string, costs: Iterable<FileCost>): void {
  const all = new Map([...rememberedCosts(path), ...[...costs].map(cost => [cost.file, cost] as const)])
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, [...all.values()].map(cost => `${JSON.stringify(cost)}\n`).join(''))
}
