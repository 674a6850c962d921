import { contentOf } from '../../../lib/clusters/apply/drift.ts'
import { normalize } from '../../../lib/clusters/apply/normalize.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { jsonLinesIn } from '../json-lines.ts'
import { type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from fluxcd/pkg/ssa: objects before and after. */
interface Case {
  readonly input: Omit<KubernetesObject, 'metadata'>
  readonly output: KubernetesObject
  readonly line: number
}

export const suite: ConformanceSuite = {
  folder: 'ssa',
  *cases(directory) {
    for (const { input, output, line } of jsonLinesIn<Case>(directory, 'upstream-normalize.jsonl'))
      yield () => {
        const actual = normalize(objectOf(input))
        return { name: `normalize ${input.kind} (line ${line})`, problem: difference(text(actual), text(output)) }
      }
    for (const { input, output, line } of jsonLinesIn<Case>(directory, 'upstream-normalize-dryrun.jsonl'))
      yield () => {
        const [actual, expected] = [contentOf(objectOf(input)), contentOf(output)]
        return { name: `compare ${input.kind} (line ${line})`, problem: difference(text(actual), text(expected)) }
      }
  },
}

const objectOf = (input: Case['input']): KubernetesObject => ({ metadata: { name: '' }, ...input }) as KubernetesObject

/**
 * Without zero values: Flux turns an object into its Go type and back, which writes out every field that the type does
 * not omit when empty (`resources: {}`, `strategy: {}`, `name: ""`). To an API server they are the same as nothing.
 */
const text = (value: unknown): string => JSON.stringify(withoutZeros(value), null, 1)

const withoutZeros = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutZeros)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value)
    .map(([key, field]) => [key, withoutZeros(field)] as const)
    .filter(([, field]) => !isZero(field))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(kept)
}

const isZero = (value: unknown): boolean =>
  value === null || value === '' || value === 0 || (typeof value === 'object' && Object.keys(value).length === 0)
