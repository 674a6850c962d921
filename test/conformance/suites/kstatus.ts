import { kstatus } from '../../../lib/engines/kstatus/kstatus.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { jsonLinesIn } from '../json-lines.ts'
import { type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from fluxcd/cli-utils. */
interface Case {
  readonly id?: string
  readonly line?: number
  readonly test?: string
  readonly object: KubernetesObject
  readonly status?: string
  readonly message?: string
  readonly conditions?: readonly { readonly reason?: string; readonly message?: string }[]
  readonly error?: string
}

/** The time of the recording: the age of a Pod counts. */
const recordedAt = Date.parse('2026-11-21T10:53:00Z')

export const suite: ConformanceSuite = {
  folder: 'kstatus',
  *cases(directory) {
    for (const file of ['cases', 'upstream'])
      for (const { id, test, line, object, ...recorded } of jsonLinesIn<Case>(directory, `${file}.jsonl`))
        yield () => ({ name: id ?? `${test} line ${line}`, problem: difference(outcome(object), expected(recorded)) })
  },
}

const outcome = (object: KubernetesObject): string => {
  try {
    const { status, message, conditions } = kstatus(object, recordedAt)
    return describe(status, message, conditions)
  } catch (error) {
    return (error as Error).message
  }
}

const expected = ({ status, message, conditions = [], error }: Omit<Case, 'object'>): string =>
  error ??
  describe(
    status,
    message,
    conditions.map(condition => ({ reason: '', message: '', ...condition })),
  )

const describe = (...result: readonly unknown[]): string => JSON.stringify(result, sorted, 1)

const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
