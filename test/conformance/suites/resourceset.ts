import { join } from 'node:path'
import { inputsOf } from '../../../lib/engines/resource-set/combine-inputs.ts'
import { render } from '../../../lib/engines/resource-set/render.ts'
import { emitJson } from '../../../lib/engines/yaml/emit-json.ts'
import { goJson } from '../../../lib/engines/yaml/go-json.ts'
import type { JsonValue } from '../../../lib/engines/yaml/json-value.ts'
import type { ResourceSet } from '../../../lib/foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../../lib/foundations/kinds/resource-set-input-provider.ts'
import { jsonLines } from '../json-lines.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from flux-operator: which sets of inputs come together, and what is rendered with them. */
interface Case {
  readonly id: string
  readonly resourceSet: ResourceSet
  readonly providers: readonly ResourceSetInputProvider[]
  readonly combined?: readonly object[] | null
  readonly combinedCount?: number
  readonly combineError?: string
  readonly result?: readonly { readonly step?: string; readonly yaml: string }[]
  readonly buildError?: string
}

export const suite: ConformanceSuite = {
  folder: 'resourceset',
  *cases(directory) {
    for (const each of jsonLines<Case>(join(directory, 'cases.jsonl'))) yield () => runCase(each)
  },
}

const runCase = (recorded: Case): CaseResult => {
  const { id, resourceSet, providers, combined, combinedCount, combineError, result, buildError } = recorded
  const inputs = attempt(() => inputsOf(resourceSet, providers))
  const problems: (string | undefined)[] = []
  if (inputs instanceof Error) problems.push(difference(inputs.message, combineError ?? '(no error)'))
  else {
    if (combined !== undefined) problems.push(difference(lines(inputs), lines(combined ?? [])))
    if (combinedCount !== undefined) problems.push(difference(`${inputs.length}`, `${combinedCount}`))
    if (combineError !== undefined) problems.push(`  expected an error: ${combineError}`)
    const steps = attempt(() => render(resourceSet.spec, inputs))
    if (steps instanceof Error) problems.push(difference(steps.message, buildError ?? '(no error)'))
    else if (buildError !== undefined) problems.push(`  expected an error: ${buildError}`)
    else if (result) {
      const actual = steps.map(({ name, objects }) => ({
        ...(name !== undefined && { step: name }),
        yaml: objects.map(object => `${emitJson(object as unknown as JsonValue)}---\n`).join(''),
      }))
      problems.push(difference(shown(actual), shown(result)))
    }
  }
  const found = problems.filter(problem => problem !== undefined)
  return { name: id, problem: found.length > 0 ? found.join('\n') : undefined }
}

const attempt = <R>(work: () => R): R | Error => {
  try {
    return work()
  } catch (error) {
    return error as Error
  }
}

const lines = (sets: readonly object[]): string => sets.map(set => goJson(set as JsonValue)).join('\n')
const shown = (steps: NonNullable<Case['result']>): string =>
  steps.map(({ step = '', yaml }) => `# step ${step}\n${yaml}`).join('')
