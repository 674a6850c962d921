/** A change of the code, and whether a test failed with it. */
export interface Mutant {
  /** Below lib. */
  readonly file: string
  readonly lineNumber: number
  /** The line where the change begins, without indentation. */
  readonly line: string
  /** `a > 0 → a >= 0`; long pieces of code are cut. */
  readonly change: string
  readonly noticed: boolean
  /** Whether it was noticed by nothing but the time that the tests took. */
  readonly timedOut: boolean
}

/** What is used of Stryker's report (mutation-testing-report-schema). */
export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly ReportedMutant[] }>>
}

interface ReportedMutant {
  readonly status: string
  readonly replacement: string
  readonly location: { readonly start: Place; readonly end: Place }
}

/** Both count from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

/** A change that hangs is noticed too; one that could not be tried counts as not noticed. */
const noticed = new Set(['Killed', 'Timeout', 'RuntimeError'])

export const mutantsOf = (report: Report): readonly Mutant[] =>
  Object.entries(report.files).flatMap(([path, { source, mutants }]) => {
    const lines = source.split('\n')
    return mutants.map(({ status, replacement, location: { start, end } }) => ({
      file: path.replace(/^lib\//, ''),
      lineNumber: start.line,
      line: lines[start.line - 1]!.trim(),
      change: `${shortened(textBetween(lines, start, end))} → ${shortened(replacement)}`,
      noticed: noticed.has(status),
      timedOut: status === 'Timeout',
    }))
  })

const textBetween = (lines: readonly string[], start: Place, end: Place): string => {
  const text = lines.slice(start.line - 1, end.line)
  text.push(text.pop()!.slice(0, end.column - 1))
  return [text[0]!.slice(start.column - 1), ...text.slice(1)].join('\n')
}

const longest = 80

const shortened = (code: string): string => {
  const oneLine = code.replace(/\s+/g, ' ')
  return oneLine.length > longest ? `${oneLine.slice(0, longest)}…` : oneLine
}
