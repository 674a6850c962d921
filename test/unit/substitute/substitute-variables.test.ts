import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../lib/kinds/object.ts'
import { envsubst } from '../../../lib/substitute/envsubst.ts'
import { substituteVariables } from '../../../lib/substitute/substitute-variables.ts'
import { parseYaml } from '../../../lib/yaml/parse.ts'
import { needsCorpus, readJson, readJsonLines } from '../../conformance/corpus.ts'

interface Case {
  readonly id: string
  readonly input: string
  readonly vars: string & Readonly<Record<string, string>>
  readonly strict: boolean
  readonly outputJSON?: string
  readonly error?: string
}

const configMap = (data: object, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'x', ...metadata },
  data,
})
const substitute = (data: object, variables: Record<string, string> = {}, strict = true) =>
  substituteVariables(configMap(data), new Map(Object.entries(variables)), { strict }).data

test('KS-203 reads substituted documents again by YAML 1.1, as recorded', needsCorpus('envsubst'), () => {
  const named = readJson<Record<string, Record<string, string>>>('envsubst/vars.json')
  for (const { id, input, vars, strict, outputJSON } of readJsonLines<Case>('envsubst/cases.jsonl')) {
    if (outputJSON === undefined) continue
    const text = envsubst(input, new Map(Object.entries(named[vars] ?? {})), { strict })
    assert.deepEqual(parseYaml(text), [JSON.parse(outputJSON)], id)
  }
})

test('substitutes whole objects as recorded', needsCorpus('envsubst'), () => {
  for (const { input, vars, strict, outputJSON, error } of readJsonLines<Case>('envsubst/upstream-varsub.jsonl')) {
    const [object] = parseYaml(input) as unknown as KubernetesObject[]
    const run = () => substituteVariables(object!, new Map(Object.entries(vars)), { strict })
    if (outputJSON !== undefined) assert.deepEqual(run(), JSON.parse(outputJSON))
    else assert.throws(run, ({ message }: Error) => message.endsWith(`envsubst error: ${error}`))
  }
})

test('KS-203 a number stays a number unless it is quoted by a variable', () => {
  assert.deepEqual(substitute({ n: '${id}', q: '${quote}${id}${quote}', s: 'x${id}' }, { id: '42', quote: '"' }), {
    n: 42,
    q: '42',
    s: 'x42',
  })
})

test('KS-200 leaves objects alone that are marked so', () => {
  const marked = configMap({ a: '${b}' }, { annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' } })
  assert.equal(substituteVariables(marked, new Map(), { strict: true }), marked)
})

test('KS-192 two dollar signs make one', () => {
  assert.deepEqual(substitute({ a: '$${b}', c: '$$d', e: '$f' }), { a: '${b}', c: '$d', e: '$f' })
})

test('KS-190, KS-194 errors name the object and the variable', () => {
  const failing = (data: object, variables: Record<string, string>) => () => substitute(data, variables)
  const prefix = "post build failed for 'ConfigMap.v1.[noGrp]/a': envsubst error: "
  assert.throws(failing({}, { '1bad': 'x' }), {
    message: `${prefix}'1bad' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'`,
  })
  assert.throws(failing({ a: '${missing}' }, {}), {
    message: `${prefix}variable substitution failed: variable not set (strict mode): "missing"`,
  })
})

test('KS-204 a result that is no YAML is refused, without the values that made it so', () => {
  assert.throws(
    () => substitute({ a: '${b}' }, { b: 'hunter2: [' }),
    ({ message }: Error) => message.includes("'ConfigMap.v1.[noGrp]/a'") && !message.includes('hunter2'),
  )
})

test('variables named like object internals are variables', () => {
  assert.deepEqual(substitute({ a: '${__proto__:=x}', b: '${constructor:=z}' }), { a: 'x', b: 'z' })
})
