import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { parseArgs } from 'node:util'
import { lintCommand } from '../../../lib/cli/helm/lint.ts'
import { loadLocalChart } from '../../../lib/cli/helm/local-chart.ts'
import { defaultKubeVersion, parseKubeVersion } from '../../../lib/engines/helm/capabilities.ts'
import { defaultApiVersions } from '../../../lib/engines/helm/default-api-versions.ts'
import { chartFunctions } from '../../../lib/engines/helm/functions.ts'
import { RenderError } from '../../../lib/engines/helm/helm-error.ts'
import { renderChart } from '../../../lib/engines/helm/render-chart.ts'
import { validateValues } from '../../../lib/engines/helm/schema/validate-values.ts'
import { templateOutput } from '../../../lib/engines/helm/template-output.ts'
import { mergeUserValues } from '../../../lib/engines/helm/user-values.ts'
import { newKey } from '../../../lib/engines/template/certificates/private-key.ts'
import { memoryDir } from '../../bed/memory-dir.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { jsonLines } from '../json-lines.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from `helm template`, or from `helm lint`. Paths are below the folder that holds the cases. */
interface Case {
  readonly id: string
  readonly command?: 'lint'
  readonly chart: string
  readonly release: string
  readonly namespace: string
  readonly values: readonly string[]
  /** Further flags of the command. */
  readonly args: readonly string[]
  /** Path of what is printed, or null. */
  readonly stdout: string | null
  readonly error: string | null
  /** Lines, from 0, that differ from run to run. */
  readonly mask?: readonly number[]
}

export const suite: ConformanceSuite = {
  folder: 'helm-template',
  *cases(directory) {
    const root = unpacked(directory)
    for (const one of jsonLines<Case>(join(root, 'cases.jsonl'))) yield () => result(one, root)
  },
}

/** The folder itself where the cases lie in it, or what its archive holds. */
const unpacked = (directory: string): string => {
  if (existsSync(join(directory, 'cases.jsonl'))) return directory
  const { path: root } = disposableDir(memoryDir() ?? tmpdir())
  execFileSync('tar', ['xJf', join(directory, 'charts.tar.xz'), '-C', root])
  return root
}

const result = async (one: Case, root: string): Promise<CaseResult> => {
  const expected = { error: one.error, ...(one.stdout && { text: readFileSync(join(root, one.stdout), 'utf8') }) }
  const actual = await (one.command === 'lint' ? lint(one, root) : outcome(one, root))
  const masked = { ...actual, ...(actual.text !== undefined && { text: maskLines(actual.text, one.mask ?? []) }) }
  return { name: one.id, ...problemOf(masked, expected) }
}

/** What a command prints, and why it fails; `helm lint` does both. */
interface Outcome {
  readonly text?: string
  readonly error: string | null
}

const problemOf = (actual: Outcome, expected: Outcome): Pick<CaseResult, 'problem'> => {
  const problem = difference(textOf(actual), textOf(expected))
  return problem === undefined ? {} : { problem }
}

const textOf = ({ text = '', error }: Outcome): string => (error === null ? text : comparable(`${text}${error}`))

/**
 * Three things vary with Go's maps and with the network: in which order a schema's complaints and the names in them stand, and those of a
 * list that a template joins for its message; and why a remote schema can't be had.
 */
const comparable = (text: string): string => {
  const settled = text
    .replace(/(failing loading "[^"]*").*/g, '$1')
    .replace(/'[^']*'(?:, '[^']*')+/g, names => names.split(', ').sort().join(', '))
    .replace(/(?<= )[\w.-]+(?:,[\w.-]+)+/g, names => names.split(',').sort().join(','))
  return settled.includes("values don't meet the specifications") ? settled.split('\n').sort().join('\n') : settled
}

const maskLines = (text: string, lines: readonly number[]): string => {
  if (lines.length === 0) return text
  const all = text.split('\n')
  for (const line of lines) if (line < all.length) all[line] = '(random)'
  return all.join('\n')
}

/** What our `helm template` comes to: its output, or the last lines of the program that it stands for. */
const outcome = async (one: Case, root: string): Promise<Outcome> => {
  try {
    return { text: await template(one, root), error: null }
  } catch (error) {
    const { message } = error as Error
    const hint = error instanceof RenderError ? '\n\nUse --debug flag to render out invalid YAML' : ''
    return { error: `Error: ${message}${hint}`.trim() }
  }
}

const template = async ({ chart: path, release: name, namespace, values: files, args }: Case, root: string) => {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      set: { type: 'string', multiple: true, default: [] },
      'set-string': { type: 'string', multiple: true, default: [] },
      'set-json': { type: 'string', multiple: true, default: [] },
      'set-literal': { type: 'string', multiple: true, default: [] },
      'set-file': { type: 'string', multiple: true, default: [] },
      'api-versions': { type: 'string', multiple: true, default: [], short: 'a' },
      'kube-version': { type: 'string' },
      'include-crds': { type: 'boolean', default: false },
      'is-upgrade': { type: 'boolean', default: false },
      'no-hooks': { type: 'boolean', default: false },
      'skip-tests': { type: 'boolean', default: false },
      'show-only': { type: 'string', multiple: true, default: [], short: 's' },
    },
  })
  const values = mergeUserValues({
    files: files.map(file => ({ path: file, content: readFileSync(join(root, file)) })),
    sets: flags,
    readFile: file => readFileSync(join(root, file), 'utf8'),
  })
  const version = flags['kube-version']
  const rendered = renderChart(await loadLocalChart(join(root, path)), values, {
    functions,
    validate: (chart, values) => validateValues(chart, values, unreachable),
    release: { name, namespace, revision: 1, isUpgrade: flags['is-upgrade'] },
    capabilities: {
      kubeVersion: version === undefined ? defaultKubeVersion : parseKubeVersion(version),
      apiVersions: [...defaultApiVersions, ...flags['api-versions'].flatMap(list => list.split(','))],
    },
  })
  return templateOutput(rendered, {
    includeCrds: flags['include-crds'],
    noHooks: flags['no-hooks'],
    skipTests: flags['skip-tests'],
    showOnly: flags['show-only'],
  })
}

/** Helm names the folders of charts as it was given them: below the one that it was run in. */
const lint = async ({ chart, namespace, values, args }: Case, root: string): Promise<Outcome> => {
  const output = new PassThrough({ encoding: 'utf8' })
  const files = values.flatMap(file => ['-f', join(root, file)])
  const printed = () => `${output.read() ?? ''}`.replaceAll(`${root}/`, '')
  try {
    const flags = [join(root, chart), '-n', namespace, ...files, ...args]
    await lintCommand(output).exitOverride().parseAsync(flags, { from: 'user' })
    return { text: printed(), error: null }
  } catch (error) {
    return { text: printed(), error: `Error: ${(error as Error).message}` }
  }
}

const functions = chartFunctions({ now: Date.now, bytes: randomBytes, newKey })

const unreachable = (url: string): never => {
  throw new Error(`HTTP request failed for ${url}: no way out of a test`)
}
