import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import {
  int,
  type ParameterType,
  Struct,
  TemplateFunction,
  type Value,
} from '../../../../lib/engines/template/values/value.ts'

const struct = (type: string): Struct => new Struct(type, new Map(), new Map())

/** A value of each type that a function may ask for. */
const values: Readonly<Partial<Record<ParameterType, Value>>> = {
  string: 'a',
  int: int(1),
  float64: 1.5,
  bool: true,
  'time.Time': struct('time.Time'),
  'sprig.certificate': struct('sprig.certificate'),
  'map[string]interface {}': new Map([['a', 'b']]),
  '[]interface {}': ['a'],
}
const types = Object.keys(values) as ParameterType[]
const anything: readonly ParameterType[] = ['interface {}', 'reflect.Value']

/** What a function with one parameter of the type gets from an argument written so. */
const given = (type: ParameterType, argument: string, data: Value): unknown => {
  let got: unknown
  const take = (value: unknown) => {
    got = value
    return ''
  }
  const functions = new Map([['take', new TemplateFunction([type], take)]])
  try {
    parseTemplate('t', `{{ ${argument} }}`, { functions }).execute(data)
    return got
  } catch (error) {
    return (error as Error).message.replace(/^.*>: /, '')
  }
}

test('arguments are never converted: a function gets the type it requires, or the template fails', () => {
  for (const argument of ['take .value', '.value | take'])
    for (const type of [...types, ...anything, 'uint32'] as const)
      for (const own of types) {
        const fits = type === own || anything.includes(type)
        const asked = type === 'int' ? 1 : values[own]
        const wanted = fits ? asked : `wrong type for value; expected ${type}; got ${own}`
        assert.deepEqual(
          given(type, argument, new Map([['value', values[own]!]])),
          wanted,
          `${argument} ${type} ${own}`,
        )
      }
})

test('no value is an argument only where Go has a nil of the type', () => {
  for (const type of types.filter(type => !/map|\[\]/.test(type)))
    assert.equal(given(type, '.value | take', new Map()), `invalid value; expected ${type}`)
  const map = given('map[string]interface {}', '.value | take', new Map())
  assert.ok(map instanceof Map && map.size === 0)
  assert.deepEqual(given('[]interface {}', '.value | take', new Map()), [])
  assert.equal(given('interface {}', '.value | take', new Map()), null)
  assert.equal(given('reflect.Value', '.value | take', new Map()), undefined)
})

test('literals in the template are converted to the type of the parameter', () => {
  const literals = ['"a"', 'true', '1', '-1', '0', '1.5', '2.0', "'c'"]
  const readings: Readonly<
    Record<string, { readonly name: string; readonly read: Readonly<Record<string, unknown>> }>
  > = {
    string: { name: 'string', read: { '"a"': 'a' } },
    bool: { name: 'bool', read: { true: true } },
    int: { name: 'integer', read: { 1: 1, '-1': -1, 0: 0, '2.0': 2, "'c'": 99 } },
    uint32: { name: 'unsigned integer', read: { 1: 1, 0: 0, '2.0': 2, "'c'": 99 } },
    float64: { name: 'float', read: { 1: 1, '-1': -1, 0: 0, 1.5: 1.5, '2.0': 2, "'c'": 99 } },
  }
  for (const [type, { name, read }] of Object.entries(readings)) {
    for (const literal of literals) {
      const wanted = literal in read ? read[literal] : `expected ${name}; found ${literal}`
      assert.deepEqual(given(type as ParameterType, `take ${literal}`, null), wanted, `${type} ${literal}`)
    }
    assert.equal(given(type as ParameterType, 'take nil', null), `cannot assign nil to ${type}`)
  }
  for (const type of ['map[string]interface {}', '[]interface {}'] as const) {
    assert.equal(given(type, 'take 1', null), `can't handle 1 for arg of type ${type}`)
    assert.equal((given(type, 'take nil', null) as { size?: number; length?: number }).size ?? 0, 0)
  }
})
