import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Score } from './judge.ts'

/** A score, and the day of the run that it comes from. */
export interface DatedScore extends Score {
  readonly date: string
}

const path = join(import.meta.dirname, 'scores.json')
const lib = join(import.meta.dirname, '../../lib')

/** Those of the last run over each file, which is named below lib. */
export const keptScores = (): Readonly<Record<string, DatedScore>> =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, DatedScore>) : {}

/** Replaces those of the same files, and forgets files that are no more. */
export const keepScores = (scores: Readonly<Record<string, Score>>): void => {
  const date = new Date().toISOString().slice(0, 10)
  const dated = Object.fromEntries(Object.entries(scores).map(([file, score]) => [file, { ...score, date }]))
  const kept = Object.entries({ ...keptScores(), ...dated }).filter(([file]) => existsSync(join(lib, file)))
  const lines = kept
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(entry => entry.map(part => JSON.stringify(part)).join(': '))
  writeFileSync(path, `{\n  ${lines.join(',\n  ')}\n}\n`)
}
