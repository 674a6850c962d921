import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeJson } from '../../../../lib/engines/template/format/write-json.ts'
import { hermeticFunctions } from '../../../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import { fromJson } from '../../../../lib/engines/template/values/from-json.ts'
import { requireBounded, UnboundedValue } from '../../../../lib/engines/template/values/require-bounded.ts'
import {
  kindOf,
  RenderingFunction,
  Struct,
  stringList,
  TemplateFunction,
  typeNameOf,
  type Value,
} from '../../../../lib/engines/template/values/value.ts'

const functions = hermeticFunctions
const render = (text: string, data: Value): string => parseTemplate('t', text, { functions: functions() }).execute(data)

test('integers of JSON are int64 as far as they fit, and float64 if requested', () => {
  const cases: readonly (readonly [json: unknown, int64: Value, float64: Value])[] = [
    [1, 1n, 1],
    [-(2 ** 63), -(2n ** 63n), -(2 ** 63)],
    [2 ** 63, 2 ** 63, 2 ** 63],
    [-(2 ** 64), -(2 ** 64), -(2 ** 64)],
    [1.5, 1.5, 1.5],
    [2n ** 63n - 1n, 2n ** 63n - 1n, 2 ** 63],
    [-(2n ** 63n), -(2n ** 63n), -(2 ** 63)],
    [2n ** 63n, 2 ** 63, 2 ** 63],
  ]
  for (const [json, int64, float64] of cases) {
    assert.deepEqual(fromJson(json), int64)
    assert.deepEqual(fromJson(json, { integers: 'float64' }), float64)
  }
})

test('data is copied, objects as maps, and what JSON has not as nil', () => {
  const json = { b: [1, { c: 'x' }, null, true], __proto__: 2, u: undefined, f: () => 1 }
  assert.deepEqual(
    fromJson(json),
    new Map<string, Value>([
      ['b', [1n, new Map([['c', 'x']]), null, true]],
      ['u', null],
      ['f', null],
    ]),
  )
})

test('values are bounded in depth and size, wherever they hold others', () => {
  const nested = (depth: number, hold: (value: Value) => Value, inner: Value = null): Value => {
    let value: Value = hold(inner)
    for (let i = 1; i < depth; i++) value = hold(value)
    return value
  }
  const holders: Readonly<Record<string, (value: Value) => Value>> = {
    list: value => [value],
    map: value => new Map([['a', value]]),
    struct: value => new Struct('a.Type', new Map([['A', value]])),
  }
  for (const [name, hold] of Object.entries(holders)) {
    for (const inner of [null, 'text']) requireBounded(nested(501, hold, inner))
    for (const bounded of [requireBounded, writeJson])
      assert.throws(() => bounded(nested(502, hold)), UnboundedValue, name)
  }
  const text = 'x'.repeat(1024 * 1024 - 64)
  requireBounded(text.repeat(70))
  requireBounded(Array(63).fill(text))
  // With what each counts besides its characters, exactly as much as there may be.
  requireBounded([...Array(63).fill(text), text.slice(64)])
  assert.throws(() => requireBounded(Array(64).fill(text)), { message: 'value has more than 67108864 characters' })
})

test('the type of a function lists its parameters', () => {
  const value = new TemplateFunction(['int', 'string'], () => null, 'bool')
  assert.equal(typeNameOf(value), 'func(int, string, ...bool) interface {}')
  assert.equal(kindOf(value), 'func')
  assert.equal(kindOf(new Struct('*a.Type', new Map())), 'ptr')
  assert.equal(kindOf(new Struct('a.Type', new Map())), 'struct')
  const data = new Map([['f', value]])
  assert.throws(() => render('{{ mustToJson .f }}', data), /json: unsupported type: func\(int/)
  const types = ['print .f', 'printf "%v" .f', 'printf "%d" (list .f)'].map(call => render(`{{ ${call} }}`, data))
  const type = 'func(int, string, ...bool) interface {}'
  assert.deepEqual(types, [type, type, `[${type}]`])
  assert.equal(typeNameOf(new TemplateFunction(['int'], () => null)), 'func(int) interface {}')
})

test('lists are sliced by the builtin as Go slices them', () => {
  const data = new Map<string, Value>([
    ['l', ['a', 'b', 'c']],
    ['t', stringList(['a', 'b', 'c'])],
  ])
  const outcome = (indexes: string) => {
    const template = parseTemplate('t', `{{ slice .l ${indexes} }}{{ slice .t ${indexes} | printf "%[1]T%[1]v" }}`)
    try {
      return template.execute(data)
    } catch (error) {
      return (error as Error).message.replace(/^.*error calling slice: /, '')
    }
  }
  const indexes = ['1 3', '', '1', '1 2 3', '0 2 1', '1 5', '3 2']
  assert.deepEqual(indexes.map(outcome), [
    ...['[b c][]string[b c]', '[a b c][]string[a b c]', '[b c][]string[b c]', '[b][]string[b]'],
    ...['invalid slice index: 2 > 1', 'index out of range: 5', 'invalid slice index: 3 > 2'],
  ])
})

test('a function that renders is called by its name alone', () => {
  const data = new Map([['f', new RenderingFunction([], () => 'rendered')]])
  assert.throws(() => render('{{ call .f }}', data), /can only be called by name$/)
})

test('a struct shows and writes its fields, or what it says of itself', () => {
  const plain = new Struct(
    'a.Type',
    new Map<string, Value>([
      ['A', 1n],
      ['B', [true]],
    ]),
  )
  const told = new Struct('b.Type', new Map(), new Map(), () => 'told')
  const data = new Map<string, Value>([
    ['plain', plain],
    ['told', told],
  ])
  assert.equal(
    render('{{ toJson .plain }}{{ .plain }}{{ .plain.A }}{{ if .plain }}!{{ end }}', data),
    '{"A":1,"B":[true]}{1 [true]}1!',
  )
  assert.equal(render('{{ toJson .told }}{{ .told }}', data), '"told"told')
  assert.equal(render('{{ deepEqual .told .told }}{{ deepEqual .plain .told }}', data), 'truefalse')
})
