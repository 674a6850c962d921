/** What one case came to; `problem` is undefined when it passed. */
export interface CaseResult {
  readonly name: string
  readonly problem?: string
}

/** Runs one case, whenever and as often as one likes. */
export type Case = () => CaseResult | Promise<CaseResult>

type Cases = Iterable<Case> | AsyncIterable<Case>
type Part = (directory: string) => Cases

/**
 * A suite of recorded behaviour: the cases that it finds under its folder of the corpus. Each file in `suites/` exports one
 * as `suite`; `npm run conformance -- NAME [DIR]` runs it over `DIR/<folder>`.
 */
export interface ConformanceSuite {
  /** The folder under the corpus's root, usually the suite's own name. */
  readonly folder: string
  /** Takes minutes and real clusters: run by its command only. */
  readonly slow?: true
  /** Tells what is still to be done, which is no failure of what is there: run by its command only. */
  readonly tellsProgress?: true
  /** Throws when a part of the corpus can't be read; what is read apart from it is in `parts`. */
  readonly cases: Part
  /** Further cases, each part with files of its own, so that a corpus which lacks one has the others run. */
  readonly parts?: readonly Part[]
  /** Further ones, which start other programs. Each must be run before the next is asked for. */
  readonly casesWithPrograms?: Part
  /** Those of its cases that a runner can do in place of the hub: by `--through-runner`. */
  readonly throughRunner?: ConformanceSuite
  /** What else there is to say when all have run. */
  summary?(): string
}

/**
 * Runs all cases, one after the other. What breaks a case, or the reading of a part of the corpus, is the problem of that
 * case or of that part: the others are run all the same.
 */
export async function* resultsOf(suite: ConformanceSuite, directory: string): AsyncGenerator<CaseResult> {
  for (const part of [suite.cases, ...(suite.parts ?? []), suite.casesWithPrograms])
    yield* resultsOfPart(part, directory)
}

async function* resultsOfPart(part: Part | undefined, directory: string): AsyncGenerator<CaseResult> {
  let ran = 0
  try {
    for await (const run of part?.(directory) ?? []) {
      ran++
      yield await resultOf(run, `case ${ran}`)
    }
  } catch (error) {
    yield { name: `the cases after ${ran}`, problem: `  can't be read: ${(error as Error).message}` }
  }
}

/** Without a name of its own, as what breaks has none, a case is told by its place. */
const resultOf = async (run: Case, place: string): Promise<CaseResult> => {
  try {
    return await run()
  } catch (error) {
    return { name: place, problem: `  the case broke off: ${(error as Error).stack}` }
  }
}

/** The problem of a case whose output differs, as a diff by lines. */
export const difference = (actual: string, expected: string): string | undefined => {
  if (actual === expected) return undefined
  const [a, e] = [actual.split('\n'), expected.split('\n')]
  const common = longestCommon(a, e)
  const lines: string[] = []
  let [i, j] = [0, 0]
  for (const [x, y] of [...common, [a.length, e.length] as const]) {
    while (j < y) lines.push(`  - ${e[j++]}`)
    while (i < x) lines.push(`  + ${a[i++]}`)
    if (x < a.length) lines.push(`    ${a[x]}`)
    i = x + 1
    j = y + 1
  }
  return `  (- expected, + actual)\n${aroundChanges(lines).join('\n')}`
}

/** Index pairs of a longest common subsequence; long texts are only compared from both ends. */
const longestCommon = (a: readonly string[], e: readonly string[]): (readonly [number, number])[] => {
  let start = 0
  while (start < a.length && start < e.length && a[start] === e[start]) start++
  let end = 0
  while (end < a.length - start && end < e.length - start && a.at(-1 - end) === e.at(-1 - end)) end++
  const pairs: (readonly [number, number])[] = []
  for (let i = 0; i < start; i++) pairs.push([i, i])
  const [n, m] = [a.length - end - start, e.length - end - start]
  if (n * m <= 4_000_000) {
    const table = Array.from({ length: n + 1 }, () => new Uint32Array(m + 1))
    for (let i = n - 1; i >= 0; i--)
      for (let j = m - 1; j >= 0; j--)
        table[i]![j] =
          a[start + i] === e[start + j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
    for (let i = 0, j = 0; i < n && j < m; ) {
      if (a[start + i] === e[start + j]) pairs.push([start + i++, start + j++])
      else if (table[i + 1]![j]! >= table[i]![j + 1]!) i++
      else j++
    }
  }
  for (let k = end; k > 0; k--) pairs.push([a.length - k, e.length - k])
  return pairs
}

const CONTEXT = 3

const aroundChanges = (lines: readonly string[]): string[] => {
  const changed = lines.map(line => line.startsWith('  -') || line.startsWith('  +'))
  return lines.filter((_, i) => changed.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).includes(true))
}
