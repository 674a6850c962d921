import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'
import { generatedTemplate } from './templates.ts'

/** A chart by its files, and values for it as YAML. */
export interface GeneratedChart {
  readonly files: Readonly<Record<string, string>>
  readonly values: string
}

/** A chart made by chance: subcharts with aliases, conditions, tags and imports; helpers, `tpl`, hooks; now and then something broken. */
export const generatedChart = (seed: number): GeneratedChart => {
  const random = seededRandom(seed)
  return { files: chartFiles(random, 'root', 2), values: JSON.stringify(valuesFor(random, 3)) }
}

const NAMES = ['sub', 'other', 'third']
const KEYS = ['a', 'b', 'c', 'list', 'deep', 'enabled', 'name']

const pick = <T>(random: SeededRandom, items: readonly T[]): T => random.pick(items)
const chance = (random: SeededRandom, probability: number): boolean => random.below(1000) < probability * 1000
const times = <T>(random: SeededRandom, most: number, make: (i: number) => T): T[] =>
  Array.from({ length: random.below(most + 1) }, (_, i) => make(i))

const valuesFor = (random: SeededRandom, depth: number): Record<string, unknown> => {
  const values: Record<string, unknown> = Object.fromEntries(
    times(random, 6, () => [pick(random, KEYS), anyValue(random, depth)]),
  )
  for (const name of ['global', 'sub', 'other', 'third'])
    if (depth > 0 && chance(random, 0.3)) values[name] = chance(random, 0.02) ? 'no map' : valuesFor(random, depth - 1)
  if (depth > 0 && chance(random, 0.3)) values.exports = { data: valuesFor(random, depth - 1) }
  if (chance(random, 0.2)) values.tags = { t: chance(random, 0.5), u: chance(random, 0.5) }
  return values
}

const SCALARS = [
  null,
  true,
  false,
  0,
  1,
  3,
  -2,
  2.5,
  1e6,
  12345678,
  '',
  'x',
  'yes',
  '1',
  'a: b',
  'line\nnext\n',
  '{{ .Release.Name }}',
  'é',
]

const anyValue = (random: SeededRandom, depth: number): unknown => {
  if (depth > 0 && chance(random, 0.4)) return valuesFor(random, depth - 1)
  if (depth > 0 && chance(random, 0.2)) return times(random, 3, () => anyValue(random, depth - 1))
  return pick(random, SCALARS)
}

const chartFiles = (random: SeededRandom, name: string, depth: number): Record<string, string> => {
  const files: Record<string, string> = {}
  const subcharts = depth > 0 ? NAMES.filter(() => chance(random, depth === 2 ? 0.4 : 0.15)) : []
  for (const subchart of subcharts)
    for (const [path, text] of Object.entries(chartFiles(random, subchart, depth - 1)))
      files[`charts/${subchart}/${path}`] = text
  const listed = subcharts.filter(() => chance(random, 0.8))
  files['Chart.yaml'] = JSON.stringify({
    apiVersion: 'v2',
    name,
    version: '1.2.3',
    ...(chance(random, 0.3) && { appVersion: pick(random, ['1.0', 2, '2024-01-01']) }),
    ...(depth < 2 && chance(random, 0.1) && { type: 'library' }),
    ...(chance(random, 0.1) && { annotations: { a: 'b' } }),
    ...((listed.length > 0 || chance(random, 0.1)) && {
      dependencies: listed.flatMap(each => dependencies(random, each)),
    }),
  })
  if (chance(random, 0.9)) files['values.yaml'] = JSON.stringify(valuesFor(random, 3))
  files['templates/_helpers.tpl'] = helpers(random, name)
  for (let i = 0; i < 1 + random.below(3); i++) files[`templates/t${i}.yaml`] = template(random, name)
  if (chance(random, 0.2)) files['templates/NOTES.txt'] = `notes of ${expression(random)}\n`
  if (chance(random, 0.3)) files['conf/a.txt'] = 'one\ntwo\n'
  if (chance(random, 0.1)) files['crds/x.yaml'] = 'kind: CustomResourceDefinition\n'
  return files
}

const dependencies = (random: SeededRandom, name: string): Record<string, unknown>[] => {
  const one = (alias?: string) => ({
    name,
    version: pick(random, ['1.x', '>=1.0.0', '1.2.3', '~1.2', ...(chance(random, 0.1) ? ['2.x', ''] : [])]),
    repository: '',
    ...(alias && { alias }),
    ...(chance(random, 0.5) && {
      condition: pick(random, [`${alias ?? name}.enabled`, 'enabled', `a.b,${name}.enabled`, 'deep.enabled']),
    }),
    ...(chance(random, 0.3) && { tags: pick(random, [['t'], ['u'], ['t', 'u']]) }),
    ...(chance(random, 0.3) && {
      'import-values': pick(random, [
        ['data'],
        [{ child: 'deep', parent: 'a' }],
        ['data', { child: 'a', parent: '.' }],
      ]),
    }),
  })
  return chance(random, 0.2) ? [one(), one(`${name}2`)] : [one(chance(random, 0.2) ? `${name}alias` : undefined)]
}

/** Mostly in parentheses, in which what is absent reads as nothing, at any depth. */
const path = (random: SeededRandom): string => {
  const keys = [
    '.Values',
    ...times(random, 2, () => pick(random, [...KEYS, 'global', 'sub', 'exports'])),
    pick(random, KEYS),
  ]
  if (chance(random, 0.85)) return `.Values.${pick(random, KEYS)}`
  if (chance(random, 0.05)) return `.Values.${keys.slice(1).join('.')}`
  return keys.reduce((before, key) => `(${before}.${key})`)
}

const EXPRESSIONS: readonly ((random: SeededRandom) => string)[] = [
  random => `{{ ${path(random)} }}`,
  random => `{{ ${path(random)} | toJson }}`,
  random => `{{ ${path(random)} | quote }}`,
  random => `{{ ${path(random)} | default ${pick(random, ['"d"', '5', '(dict "k" 1)'])} | toJson }}`,
  random => `{{ toYaml ${path(random)} | nindent 4 }}`,
  random => `{{ toYamlPretty ${path(random)} | nindent 4 }}`,
  random => `{{ if ${path(random)} }}yes{{ else }}no{{ end }}`,
  random => `{{ with ${path(random)} }}{{ . | toJson }}{{ else }}none{{ end }}`,
  random => `{{ range $k, $v := (fromYaml (toYaml (dict "x" ${path(random)}))) }}{{ $k }}={{ $v | toJson }},{{ end }}`,
  random =>
    `{{ include "${pick(random, ['h', 'j', 'root.name', 'nested', ...(chance(random, 0.05) ? ['none'] : [])])}" . }}`,
  random => `{{ include "${pick(random, ['h', 'j'])}" ${path(random)} }}`,
  random => `{{ tpl (${path(random)} | toString) . }}`,
  random =>
    `{{ tpl "${pick(random, ['{{ .Values.a }}', '{{ include \\"h\\" . }}', 'plain', '{{ define \\"h\\" }}again{{ end }}{{ include \\"nested\\" . }}', ...(chance(random, 0.05) ? ['{{ if', '{{ .Values.a.b.c }}'] : [])])}" . }}`,
  random => (chance(random, 0.9) ? 'plain' : `{{ required "need ${pick(random, KEYS)}" ${path(random)} }}`),
  random =>
    `{{ dig "a" "b" "none" ${pick(random, ['.Values.AsMap', ...(chance(random, 0.05) ? ['.Values'] : []), '(dict "a" (dict "b" 1))'])} | toJson }}`,
  random => `{{ get .Values "${pick(random, KEYS)}" | toJson }}{{ hasKey .Values "${pick(random, KEYS)}" }}`,
  random =>
    `{{ $_ := set .Values "${pick(random, KEYS)}" ${pick(random, ['1', '"s"', '(dict "q" 2)'])} }}{{ .Values | toJson }}`,
  random => `{{ merge (dict "a" 1) ${pick(random, ['.Values', '(dict "a" (dict "b" 1))'])} | toJson }}`,
  () => '{{ .Values | toJson }}',
  () =>
    '{{ .Release | toJson }}{{ .Chart.Name }}{{ .Chart.IsRoot }}{{ .Chart.AppVersion }}{{ .Chart.Dependencies | toJson }}',
  () => '{{ .Template.Name }} {{ .Subcharts | keys | sortAlpha }} {{ .Capabilities.KubeVersion.Version }}',
  () =>
    '{{ .Files.Get "conf/a.txt" | quote }}{{ (.Files.Glob "conf/*").AsConfig | quote }}{{ .Files.Lines "conf/a.txt" }}',
  random => `{{ index .Values "${pick(random, KEYS)}" | typeOf }} {{ kindOf ${path(random)} }}`,
  random => `{{ fromYaml ${pick(random, ['"a: 1"', '"- a"', '"a: b: c"', '"a: 1\\na: 2\\nb\\n"'])} | toJson }}`,
  random => `{{ include "gen" (fromJson ${JSON.stringify(JSON.stringify(valuesFor(random, 1)))}) | toJson }}`,
]

const expression = (random: SeededRandom): string => pick(random, EXPRESSIONS)(random)

const helpers = (random: SeededRandom, name: string): string =>
  [
    `{{- define "${name}.name" -}}${name}-{{ .Release.Name }}{{- end -}}`,
    `{{ define "h" }}h of ${name} ${chance(random, 0.5) ? '{{ . | toJson }}' : ''}{{ end }}`,
    `{{ define "j" }}${expression(random)}{{ end }}`,
    `{{ define "nested" }}[{{ include "h" . }}]{{ end }}`,
    `{{ define "gen" }}${chance(random, 0.1) ? generatedTemplate(random.below(1e9), 'sprig').template : 'gen'}{{ end }}`,
  ].join('\n')

const KINDS = ['Pod', 'Service', 'Deployment', 'ConfigMap', 'Namespace', 'Zed', 'Secret', 'Ingress', '""']

const template = (random: SeededRandom, name: string): string =>
  Array.from({ length: 1 + random.below(3) }, () => document(random, name)).join(
    pick(random, ['---\n', '\n---\n\n', '--- # next\n', '---\n---\n']),
  )

const document = (random: SeededRandom, name: string): string => {
  const hook = chance(random, 0.15)
    ? `  annotations: {"helm.sh/hook": "${pick(random, ['pre-install', 'test', 'post-upgrade,pre-delete', 'nope'])}", "helm.sh/hook-weight": "${pick(random, ['1', '-3', 'x'])}"}\n`
    : ''
  const body = Array.from({ length: 1 + random.below(3) }, (_, i) => `k${i}: |-\n  ${expression(random)}\n`).join('')
  const broken = chance(random, 0.01)
    ? pick(random, ['{{ if }}\n', '{{ .Values.a | nope }}\n', 'bad\nyaml: [\n', '{{ fail "no" }}\n', '{{ end }}\n'])
    : ''
  const wrapped = chance(random, 0.2) ? `{{- if ${path(random)} }}\n${body}{{- end }}\n` : body
  return `kind: ${pick(random, KINDS)}\nmetadata:\n  name: ${pick(random, [name, '{{ include "root.name" . }}', '{{ .Release.Name }}-x'])}\n${hook}${wrapped}${broken}`
}
