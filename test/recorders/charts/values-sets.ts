import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { type SeededRandom, seededRandom } from '../../e2e/seeded-random.ts'
import { readMap } from './found-charts.ts'

/** One way to render a chart. */
export interface ValuesSet {
  readonly name: string
  readonly command?: 'lint'
  /** Files of the chart. */
  readonly files?: readonly string[]
  /** Values that are written to a file of their own. */
  readonly values?: Values
  readonly args?: readonly string[]
}

type Values = Record<string, unknown>
type Path = readonly string[]

/** Where values lie that a chart's own values.yaml has, and what they are: lists count as a whole. */
type Leaf = readonly [path: Path, value: unknown]

const API_VERSIONS = ['monitoring.coreos.com/v1', 'cert-manager.io/v1', 'networking.k8s.io/v1/Ingress']

/**
 * The ways to render a chart besides its defaults: values files that it ships, everything switched on, values changed by chance (equal
 * seeds, equal values), the flags of `helm template`, and `helm lint`.
 */
export const valuesSets = (folder: string, seed: number, mostShipped: number): readonly ValuesSet[] => {
  const random = seededRandom(seed)
  const leaves = leavesOf(readMap(join(folder, 'values.yaml')))
  const shipped = shippedFiles(folder).slice(0, mostShipped)
  const switchedOn = valuesAt(leaves.filter(([, value]) => value === false).map(([path]) => [path, true]))
  const [template] = someOf(random, globSync('templates/**/*.yaml', { cwd: folder }).sort(), 1)
  const flags: readonly ValuesSet[] = [
    { name: 'crds', args: ['--include-crds', '--skip-tests'] },
    { name: 'upgrade', args: ['--is-upgrade', ...API_VERSIONS.flatMap(version => ['--api-versions', version])] },
    { name: 'old-kubernetes', args: ['--kube-version', 'v1.21.3', '--no-hooks'] },
    { name: 'set', args: setFlags(random, leaves) },
    { name: 'lint', command: 'lint' },
    { name: 'lint-strict', command: 'lint', args: ['--strict'], values: switchedOn },
    ...(template === undefined ? [] : [{ name: 'show-only', args: ['--show-only', template] }]),
  ]
  return [
    ...shipped.map(file => ({ name: file.replaceAll('/', '-').replace(/\.ya?ml$/, ''), files: [file] })),
    { name: 'switched-on', values: switchedOn },
    { name: 'changed', values: changed(random, leaves) },
    ...someOf(random, flags, 2),
  ]
}

/** Nothing but its own values. */
export const defaults: ValuesSet = { name: 'defaults' }

const shippedFiles = (folder: string): readonly string[] =>
  globSync(['ci/**/*.{yaml,yml}', '*values*.{yaml,yml}'], { cwd: folder })
    .filter(file => file !== 'values.yaml' && existsSync(join(folder, file)))
    .sort()

const leavesOf = (values: Values, path: Path = []): Leaf[] =>
  Object.entries(values).flatMap(([key, value]) =>
    isMap(value) && Object.keys(value).length > 0
      ? leavesOf(value, [...path, key])
      : [[[...path, key], value] satisfies Leaf],
  )

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

const valuesAt = (leaves: readonly Leaf[]): Values => {
  const values: Values = {}
  for (const [path, value] of leaves) {
    let at = values
    for (const key of path.slice(0, -1)) {
      at[key] ??= {}
      at = at[key] as Values
    }
    at[path.at(-1)!] = value
  }
  return values
}

const someOf = <T>(random: SeededRandom, items: readonly T[], count: number): T[] => {
  const left = [...items]
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)[0]!)
}

/** Of the same type but something else; now and then of another one, or gone. */
const changed = (random: SeededRandom, leaves: readonly Leaf[]): Values =>
  valuesAt(someOf(random, leaves, 12).map(([path, value]) => [path, otherValue(random, value)]))

const otherValue = (random: SeededRandom, value: unknown): unknown => {
  if (random.below(10) === 0) return random.pick<unknown>([null, '', 0, [], {}])
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return random.pick([0, 1, 7, 1.5, 1e6, 123456789, -1])
  if (Array.isArray(value)) return random.pick<unknown>([[], ['one', 'two'], [{ name: 'one', value: 'two' }]])
  if (isMap(value)) return random.pick<unknown>([{ key: 'value' }, { 'a.b/c': 'true', d: '1' }])
  return random.pick(['other', 'a: b', '1.10', '{{ .Release.Name }}-x', 'two\nlines', 'ünï', '"quoted"', '#no', '0x1F'])
}

const setFlags = (random: SeededRandom, leaves: readonly Leaf[]): readonly string[] =>
  someOf(random, leaves, 5).flatMap(([path, value]) => {
    const key = path.map(part => part.replace(/[.,=[\]\\]/g, '\\$&')).join('.')
    if (Array.isArray(value)) return ['--set', `${key}[0]=one,${key}[1].two=2`]
    if (isMap(value)) return ['--set-json', `${key}={"a":{"b":[1,true,null]}}`]
    if (typeof value === 'string') return [random.pick(['--set-string', '--set', '--set-literal']), `${key}=1e5`]
    return ['--set', `${key}=${random.pick(['null', 'true', '3', '{a,b}', '1.0'])}`]
  })
