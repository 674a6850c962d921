import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, printResources } from '../../../lib/kustomize/build.ts'
import { diskTree } from '../disk-tree.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

interface Meta {
  readonly path: string
  readonly flags?: readonly string[]
  readonly error?: boolean
  readonly nondeterministicError?: boolean
  readonly errorNormalised?: boolean
  readonly warnings?: readonly string[]
}

export const suite: ConformanceSuite = {
  folder: 'kustomize',
  async *run(directory) {
    const cases = join(directory, 'cases')
    for (const id of existsSync(cases) ? readdirSync(cases).sort() : []) yield await runCase(join(cases, id), id)
  },
}

const readText = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

const runCase = async (directory: string, id: string): Promise<CaseResult> => {
  const meta = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8')) as Meta
  const expected = readText(join(directory, 'expected.yaml'))
  const expectedError = readText(join(directory, 'expected-error.txt'))
  const outcome = await runBuild(join(directory, 'input'), meta)
  if (expected !== undefined) {
    if (outcome.error !== undefined) return { name: id, problem: `  unexpected error: ${outcome.error}` }
    return { name: id, problem: difference(outcome.output!, expected) }
  }
  if (outcome.error === undefined) return { name: id, problem: `  expected an error: ${expectedError}\n  got output` }
  if (meta.nondeterministicError) return { name: id }
  return { name: id, problem: difference(outcome.error.trim(), (expectedError ?? '').trim()) }
}

const runBuild = async (input: string, meta: Meta): Promise<{ output?: string; error?: string }> => {
  const flags = meta.flags ?? []
  try {
    const result = await build(diskTree(input), meta.path, {
      reorder: flags.includes('--reorder=legacy') ? 'legacy' : 'none',
      loadRestrictions: flags.includes('--load-restrictor=LoadRestrictionsNone') ? 'none' : 'root-only',
      managedByLabel: flags.includes('--enable-managedby-label'),
    })
    return { output: printResources(result.resources) }
  } catch (error) {
    return {
      error: error instanceof Error && error.name === 'KustomizeError' ? error.message : String((error as Error).stack),
    }
  }
}
