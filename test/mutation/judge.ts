import type { Explanation } from './explanation.ts'
import type { Mutant } from './mutant.ts'

export interface Verdict {
  /** Neither noticed nor explained. */
  readonly open: readonly Mutant[]
  /** Those that explain nothing: the code has changed, or a test notices by now. */
  readonly obsolete: readonly Explanation[]
  /** By file. */
  readonly scores: Readonly<Record<string, Score>>
}

/** How many changes were tried on a file, and what became of them. */
export interface Score {
  readonly changes: number
  readonly noticed: number
  readonly explained: number
}

/** Holds what a run found against the explanations; those of files that it did not change are left out of account. */
export const judge = (mutants: readonly Mutant[], explanations: readonly Explanation[]): Verdict => {
  const explains = (explanation: Explanation) => (mutant: Mutant) =>
    (['file', 'line', 'change'] as const).every(key => explanation[key] === mutant[key])
  const isExplained = (mutant: Mutant) => explanations.some(explanation => explains(explanation)(mutant))
  // What is explained to cost nothing but time may take so much that time is up.
  const survivors = mutants.filter(mutant => !mutant.noticed || (mutant.timedOut && isExplained(mutant)))
  const scoreOf = (file: string): Score => {
    const ofFile = (some: readonly Mutant[]) => some.filter(mutant => mutant.file === file).length
    return {
      changes: ofFile(mutants),
      noticed: ofFile(mutants) - ofFile(survivors),
      explained: ofFile(survivors.filter(isExplained)),
    }
  }
  const files = [...new Set(mutants.map(({ file }) => file))]
  return {
    open: survivors.filter(mutant => !isExplained(mutant)),
    obsolete: explanations.filter(each => files.includes(each.file) && !survivors.some(explains(each))),
    scores: Object.fromEntries(files.map(file => [file, scoreOf(file)])),
  }
}
