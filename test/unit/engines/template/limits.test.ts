import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hermeticFunctions } from '../../../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import { endingWith } from './ending.ts'

const ending = endingWith(hermeticFunctions, null)

test('counts every step, every call and every character, and allows as many as it says', () => {
  const five = 'a{{ 1 }}{{ if 1 }}{{ else }}{{ end }}{{ $x := 1 }}{{ template "in" }}{{ define "in" }}{{ end }}'
  assert.equal(ending(five, { limits: { steps: 5 } }), 'made 2 characters')
  assert.equal(ending(five, { limits: { steps: 4 } }), 'exceeded 4 steps')
  assert.equal(ending('{{ range 3 }}{{ end }}', { limits: { steps: 4 } }), 'made 0 characters')
  assert.equal(ending('{{ range 3 }}{{ end }}', { limits: { steps: 3 } }), 'exceeded 3 steps')

  const turns =
    '{{ range 9 }}{{ template "a" }}{{ end }}{{ define "a" }}{{ template "b" }}{{ end }}{{ define "b" }}b{{ end }}'
  assert.equal(ending(turns, { limits: { depth: 2 } }), 'made 9 characters')
  assert.equal(ending(turns, { limits: { depth: 1 } }), 'exceeded maximum template depth (1)')

  assert.equal(ending('{{ range 5 }}ab{{ end }}', { limits: { output: 10 } }), 'made 10 characters')
  assert.equal(ending('{{ range 5 }}ab{{ end }}', { limits: { output: 9 } }), 'output exceeds 9 characters')
  assert.throws(() => parseTemplate('t', 'text').execute(null, { limits: { output: 3 } }), {
    message: 'template: t: output exceeds 3 characters',
  })

  for (const [call, size] of [
    ['$x := repeat 80 "x"', 80],
    ['$x := splitList "" "ab"', 128],
    ['$x := len (repeat 80 "x")', 80],
  ] as const) {
    assert.equal(ending(`{{ ${call} }}`, { limits: { output: size / 8 } }), 'made 0 characters')
    assert.equal(ending(`{{ ${call} }}`, { limits: { output: size / 8 - 1 } }), `made more than ${size - 8} characters`)
  }
})

test('checks the deadline from time to time', () => {
  let asked = 0
  const isLate = () => ++asked > 2
  assert.equal(ending('{{ range 2000 }}{{ end }}', { limits: { isLate } }), 'made 0 characters')
  assert.equal(asked, 1)
  assert.equal(ending('{{ range 9000 }}{{ end }}', { limits: { isLate } }), 'took too long')
  assert.equal(asked, 3)
})

test('ends what fits no stack, and values that hold themselves', () => {
  const body = `${'{{ if 1 }}'.repeat(250)}{{ template "in" }}${'{{ end }}'.repeat(250)}`
  assert.equal(ending(`{{ define "in" }}${body}{{ end }}${body}`), 'nested too deeply')
  assert.equal(ending('{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}'), 'value is nested too deeply')
})

test('lets nest what humans nest', () => {
  const parens = (count: number) => `{{ ${'('.repeat(count)}1${')'.repeat(count)} }}`
  assert.equal(ending(parens(299).repeat(2)), 'made 2 characters')
  assert.match(ending(parens(300)), /max expression depth exceeded$/)
  assert.equal(ending(parens(1).repeat(400)), 'made 400 characters')
})
