import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { helmFunctions } from '../../../../lib/engines/template/functions/helm.ts'
import { resourceSetFunctions } from '../../../../lib/engines/template/functions/resource-set.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import { fromJson } from '../../../../lib/engines/template/values/from-json.ts'
import { TemplateFunction } from '../../../../lib/engines/template/values/value.ts'
import { endingWith } from './ending.ts'

const data = fromJson({ a: [1, { b: 'x' }], m: { k: null } })

const ending = endingWith(() => new Map([...resourceSetFunctions(), ...helmFunctions]), data)

test('ends loops, recursion and growth instead of the process', () => {
  assert.equal(ending('{{ range 9000000000 }}{{ end }}'), 'exceeded 5000000 steps')
  assert.equal(
    ending('{{ define "r" }}{{ template "r" }}{{ end }}{{ template "r" }}'),
    'exceeded maximum template depth (400)',
  )
  assert.equal(
    ending('{{ $x := "aaaaaaaa" }}{{ range 99 }}{{ $x = print $x $x }}{{ end }}'),
    'made more than 268435456 characters',
  )
  assert.equal(ending('{{ range 1000 }}{{ . }}{{ end }}', { limits: { output: 100 } }), 'output exceeds 100 characters')
  assert.equal(ending('{{ range 5000 }}{{ end }}', { limits: { isLate: () => true } }), 'took too long')
})

test('text too long for JavaScript is too long for a template', () => {
  const tooLong = new TemplateFunction([], () => 'x'.repeat(2 ** 30))
  const of = endingWith(() => new Map([['tooLong', tooLong]]), null)
  assert.equal(of('{{ tooLong }}'), 'made more than 268435456 characters')
  assert.equal(of('{{ print "a" (tooLong) }}', { limits: { output: 10 } }), 'made more than 80 characters')
})

test('refuses single calls that would make too much', () => {
  for (const call of [
    'repeat 99999999 "x"',
    'until 99999999',
    'untilStep 0 99999999 1',
    'seq 1 99999999',
    'indent 99999999 "x"',
    'join (repeat 1000000 ",") (until 1000)',
    'replace "" (repeat 4000 "x") (repeat 4000 "y")',
  ])
    assert.match(ending(`{{ ${call} }}`), /more than (4000000|500000)$/, call)
})

for (const use of [
  '$d',
  'print $d',
  'toJson $d | mustFromJson',
  'mustToYaml $d',
  'printf "%#v" $d',
  'deepEqual $d (dict)',
  'toToml $d | fail',
])
  test(`refuses values that hold themselves, or grow with every step: ${use}`, () => {
    const itself = '{{ $d := dict "a" 1 }}{{ $_ := set $d "d" $d }}'
    // A few steps more would never end; with as many, a bound that is gone costs a second, not all memory.
    const doubled = '{{ $d := dict "a" 1 }}{{ range 20 }}{{ $d = dict "l" $d "r" $d }}{{ end }}'
    for (const made of [itself, doubled])
      assert.match(ending(`${made}{{ ${use} }}`), /nested too deeply|more than 67108864|end of JSON/, `${made}${use}`)
  })

test('lists that grow with every step are refused, and long ones are looked through fast', () => {
  assert.match(
    ending('{{ $l := until 100000 }}{{ range 6 }}{{ $l = concat $l $l }}{{ end }}'),
    /made more than 268435456 characters$/,
  )
  assert.equal(ending('{{ uniq (until 100000) | len }}'), 'made 6 characters')
})

test('evaluates expressions, and trims spaces, that other engines never finish', () => {
  assert.equal(ending(`${' '.repeat(100_000)}x{{- 1 }}`), 'made 100002 characters')
  assert.equal(ending('{{ regexMatch "^(a+)+$" (print (repeat 5000 "a") "b") }}'), 'made 5 characters')
})

test('refuses nesting that would not fit the stack', () => {
  const deep = (open: string, close: string) => `${open.repeat(5000)}1${close.repeat(5000)}`
  assert.match(ending(`{{ ${deep('(', ')')} }}`), /max expression depth exceeded$/)
  assert.match(ending(deep('{{ if 1 }}', '{{ end }}')), /max expression depth exceeded$/)
  const json = (open: string, close: string, depth: number) =>
    ending(`{{ mustFromJson \`${open.repeat(depth)}1${close.repeat(depth)}\` | kindOf }}`)
  for (const [open, close, kind] of [
    ['[', ']', 'slice'],
    ['{"a":', '}', 'map'],
  ] as const) {
    assert.equal(json(open, close, 500), `made ${kind.length} characters`)
    for (const depth of [501, 100_000]) assert.match(json(open, close, depth), /exceeded max depth$/)
  }
})

test('knows no names of JavaScript', () => {
  for (const name of ['constructor', '__proto__', 'valueOf', 'hasOwnProperty']) {
    assert.equal(ending(`{{ .${name} }}`), 'made 10 characters', name)
    assert.match(ending(`{{ ${name} }}`), /function ".*" not defined$/)
    assert.equal(ending(`{{ (toDate "2006" "2020").${name} }}`), `can't evaluate field ${name} in type time.Time`)
  }
  assert.equal(ending('{{ set (dict) "__proto__" (dict "polluted" 1) | toJson }}'), 'made 28 characters')
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('leaves the data of the caller alone', () => {
  const json = { m: { k: 1 } }
  parseTemplate('t', '{{ $_ := set .m "k" 2 }}', { functions: resourceSetFunctions() }).execute(fromJson(json))
  assert.deepEqual(json, { m: { k: 1 } })
})

test('fails only with TemplateError, whatever the text', () => {
  const word = fc.constantFrom(
    ...'{{ }} {{- -}} ( ) | . $ $x := = , " ` \' /* */ if else end range with define template block break nil true'.split(
      ' ',
    ),
    ...'.a .m.k 1 -1 1.5 0x 1i "s" "t" print index printf "%d" len dict list toYaml upper slice first and or not eq lt é \n'.split(
      ' ',
    ),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 25 }), words => {
      ending(words.join(' '))
      ending(`{{ ${words.join(' ')} }}`)
    }),
    { numRuns: 500 },
  )
})
