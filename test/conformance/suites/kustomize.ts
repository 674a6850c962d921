import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartInflation } from '../../../lib/compose/chart-inflation.ts'
import { type BuildOptions, build, printResources } from '../../../lib/engines/kustomize/build.ts'
import type { FileSystem } from '../../../lib/engines/kustomize/file-system.ts'
import { pluginRunner } from '../../../lib/platform/adapters/embedded/plugin-runner.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { diskTree } from '../disk-tree.ts'
import { tableCases } from '../kustomize-tables.ts'
import { localRepositories } from '../local-repositories.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

interface Meta {
  readonly path: string
  readonly flags?: readonly string[]
  readonly error?: boolean
  readonly nondeterministicError?: boolean
  readonly errorNormalised?: boolean
  readonly warnings?: readonly string[]
  /** The text of the command line, where it isn't that of the in-process run. */
  readonly cliError?: string
  readonly needs?: readonly string[]
}

export const suite: ConformanceSuite = {
  folder: 'kustomize',
  *cases(directory) {
    const cases = join(directory, 'cases')
    for (const id of existsSync(cases) ? readdirSync(cases).sort() : []) yield () => runCase(join(cases, id), id)
    yield* tableCases(join(directory, 'tables'))
  },
  async *casesWithPrograms(directory) {
    const cases = join(directory, 'needs-external')
    if (!existsSync(cases)) return
    await using scratch = disposableDir()
    const remotes = await localRepositories(scratch.path)
    for (const id of readdirSync(cases).sort()) {
      const reason = reasonNotToRun(join(cases, id), id)
      if (reason) console.log(`not run: ${id}: ${reason}`)
      else yield () => runCase(join(cases, id), id, { remotes })
    }
  },
}

/** What the cases need beside the tree, as far as it is here. A network and containers are not. */
const AT_HAND = ['external-plugin', 'git', 'helm']

const reasonNotToRun = (directory: string, id: string): string | undefined => {
  const { needs = [] } = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8')) as Meta
  const missing = id === NEEDS_NO_NETWORK ? [] : needs.filter(need => !AT_HAND.includes(need))
  return NOT_RUN.get(id) ?? (missing.length > 0 ? `needs ${missing.join(', ')}` : undefined)
}

/** Said to need a network, but it only names a file. */
const NEEDS_NO_NETWORK = 'TestRemoteLoad_LocalProtocol-12'

const NOT_RUN = new Map([
  ['TestPluginEnvironment', 'the plugin is not in the corpus'],
  ['TestSedTransformer', 'the plugin is not in the corpus'],
])

const readText = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

const runCase = async (directory: string, id: string, more: BuildOptions = {}): Promise<CaseResult> => {
  const meta = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8')) as Meta
  const expected = readText(join(directory, 'expected.yaml'))
  const expectedError = readText(join(directory, 'expected-error.txt'))
  const outcome = await runBuild(join(directory, 'input'), meta, more)
  if (expected !== undefined) {
    if (outcome.error !== undefined) return { name: id, problem: `  unexpected error: ${outcome.error}` }
    return { name: id, problem: difference(outcome.output!, expected) }
  }
  if (outcome.error === undefined) return { name: id, problem: `  expected an error: ${expectedError}\n  got output` }
  if (meta.nondeterministicError) return { name: id }
  const actual = comparable(outcome.error)
  if (meta.cliError !== undefined && actual === comparable(meta.cliError)) return { name: id }
  return { name: id, problem: difference(actual, comparable(expectedError ?? '')) }
}

/** Leaves addresses and names of temporary folders out: they are of one run. Ours have the repository's name instead. */
const comparable = (error: string): string =>
  error
    .replace(/ &\{0xADDR <nil>\}/g, '')
    .replace(/\/tmp\/kustomize-(\d+|N)/g, '/tmp/kustomize-N')
    .replaceAll('/usr/bin/git', 'git')
    .replace(/(?<=')tmp\/TestRemoteLoad_LocalProtocol\d+\/001\/[\w-]+(\.git)?/g, '/tmp/kustomize-N')
    .trim()

/** Where the cases were recorded there was a /tmp. */
const withTmp = (tree: FileSystem): FileSystem => ({ ...tree, list: path => (path === 'tmp' ? [] : tree.list(path)) })

const runBuild = async (
  input: string,
  meta: Meta,
  more: BuildOptions,
): Promise<{ output?: string; error?: string }> => {
  const flags = meta.flags ?? []
  try {
    const result = await build(withTmp(diskTree(input)), meta.path, {
      reorder: flags.includes('--reorder=legacy') ? 'legacy' : 'none',
      loadRestrictions: flags.includes('--load-restrictor=LoadRestrictionsNone') ? 'none' : 'root-only',
      ...(meta.needs?.includes('external-plugin') && {
        plugins: { runner: pluginRunner({ network: true }), localFunctions: true },
      }),
      managedByLabel: flags.includes('--enable-managedby-label'),
      ...(flags.includes('--enable-helm') && { helm: { helm: chartInflation() } }),
      ...(meta.needs?.includes('git') && more),
    })
    return { output: printResources(result.resources) }
  } catch (error) {
    return {
      error: error instanceof Error && error.name === 'KustomizeError' ? error.message : String((error as Error).stack),
    }
  }
}
