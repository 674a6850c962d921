import assert from 'node:assert/strict'
import { test } from 'node:test'
import { substituteVariables } from '../../../../lib/engines/substitute/substitute-variables.ts'
import { Budget, BudgetExceeded } from '../../../../lib/foundations/budget/budget.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const configMap = (data: object, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'x', ...metadata },
  data,
})
const substitute = (data: object, variables: Record<string, string> = {}, strict = true) =>
  substituteVariables(configMap(data), new Map(Object.entries(variables)), { strict }).data

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
  const labelled = configMap({ a: '${b}' }, { labels: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' } })
  assert.equal(substituteVariables(labelled, new Map(), { strict: true }), labelled)
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
  assert.throws(failing({}, { 'a-b': 'x' }), /'a-b' var name is invalid/)
  assert.throws(failing({ a: '${missing}' }, {}), {
    message: `${prefix}variable substitution failed: variable not set (strict mode): "missing"`,
  })
})

test('KS-204 a result that is no YAML is refused, without the values that made it so', () => {
  assert.throws(
    () => substitute({ a: '${b}' }, { b: 'hunter2: [' }),
    ({ message }: Error) => {
      assert.match(message, /^post build failed for 'ConfigMap\.v1\.\[noGrp\]\/a': envsubst error: YAMLToJSON: ./)
      return !message.includes('hunter2')
    },
  )
  assert.throws(() => substitute({ a: '${b}' }, { b: 'x\n---\nc: d' }), /: the result is not one YAML mapping$/)
})

test('KS-204 invalid YAML is reported without anchors, keys and scalars, which may be values of a Secret', () => {
  const told = (s: string): string => {
    try {
      substitute({ v: '${s}' }, { s })
    } catch (error) {
      return (error as Error).message.replace(/^.*YAMLToJSON: /s, '')
    }
    return assert.fail(`${s} is YAML`)
  }
  assert.equal(told('*hush'), 'yaml: unknown anchor referenced')
  assert.equal(told('&hush [*hush]'), 'yaml: anchor value contains itself')
  assert.equal(told('!!int hush`hush'), 'yaml: cannot decode !!str as a !!int')
  assert.equal(
    told('1\n  hush: 1\n  hush: 2'),
    'yaml: unmarshal errors:\n  line 5: mapping key already defined at line 4',
  )
  assert.equal(told('{[hush]: 1}'), 'yaml: invalid map key')
  for (const start of ['"', '[', "'", '%', '@', '| ', '- ', '!<', '"\\', 'x: y: '])
    assert.doesNotMatch(told(`${start}hush`), /hush/)
})

test('variables named like object internals are variables', () => {
  assert.deepEqual(substitute({ a: '${__proto__:=x}', b: '${constructor:=z}' }), { a: 'x', b: 'z' })
})

test('an object without a dollar sign stays the very same', () => {
  const plain = configMap({ a: 'b' })
  assert.equal(substituteVariables(plain, new Map(), { strict: true }), plain)
})

test('a bug is not reported as a fault of the object', () => {
  const broken = (method: 'keys' | 'get') => {
    const variables = new Map([['b', 'x']])
    variables[method] = () => {
      throw new RangeError('broken')
    }
    return variables
  }
  for (const method of ['keys', 'get'] as const)
    assert.throws(() => substituteVariables(configMap({ a: '${b}' }), broken(method), { strict: true }), {
      name: 'RangeError',
      message: 'broken',
    })
})

test('results are paid for: their bytes, and the nodes that their values make', () => {
  const exceeded = (value: string, limits: object) => {
    const data = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, '${v}']))
    const options = { strict: true, budget: new Budget(limits) }
    try {
      substituteVariables(configMap(data), new Map([['v', value]]), options)
    } catch (error) {
      assert(error instanceof BudgetExceeded)
      return [error.budget, error.place]
    }
    return undefined
  }
  assert.deepEqual(exceeded('x'.repeat(1000), { bytes: 10_000 }), ['bytes', 'ConfigMap.v1.[noGrp]/a'])
  assert.equal(exceeded('x', { bytes: 10_000, nodes: 1_000 }), undefined)
  assert.deepEqual(exceeded(`[${'1, '.repeat(100)}1]`, { nodes: 1_000 }), ['nodes', ''])
})
