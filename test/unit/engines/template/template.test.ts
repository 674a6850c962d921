import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hermeticFunctions } from '../../../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate, type TemplateOptions } from '../../../../lib/engines/template/template.ts'
import { TemplateError } from '../../../../lib/engines/template/template-error.ts'
import { fromJson } from '../../../../lib/engines/template/values/from-json.ts'
import { int, Struct, TemplateFunction, type Value } from '../../../../lib/engines/template/values/value.ts'

const functions = hermeticFunctions
const data = fromJson({
  name: 'web',
  port: 80,
  ratio: 0.5,
  tags: ['a', 'b'],
  nested: { z: 1, a: { b: 'deep' } },
  none: null,
})

const render = (text: string, options: TemplateOptions = {}): string =>
  parseTemplate('t', text, { functions: functions(), ...options }).execute(data)

/** The output, or the message where it fails. */
const outcome = (text: string, options?: TemplateOptions): string => {
  try {
    return render(text, options)
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return error.message
  }
}

/** Each template beside what Go makes of it. */
const promises = (title: string, table: Readonly<Record<string, string>>): void => {
  test(title, () => {
    const actual = Object.fromEntries(Object.keys(table).map(text => [text, outcome(text)]))
    assert.deepEqual(actual, table)
  })
}

promises('follows fields, variables and dot', {
  '{{ .nested.a.b }}{{ $.name }}': 'deepweb',
  '{{ with .nested }}{{ .z }}{{ $.name }}{{ end }}': '1web',
  '{{ $x := .name }}{{ if true }}{{ $x = "new" }}{{ $y := 1 }}{{ end }}{{ $x }}': 'new',
  '{{ $x := 1 }}{{ with $x := 2 }}{{ $x }}{{ end }}{{ $x }}': '21',
  '{{ define "t2" }}{{ $ }}{{ end }}{{ template "t2" .port }}': '80',
  '{{ block "b" .tags }}{{ len . }}{{ end }}': '2',
})

promises('loops over lists, maps in order, and integers', {
  '{{ range .tags }}{{ . }};{{ end }}': 'a;b;',
  '{{ range $i, $e := .tags }}{{ $i }}{{ $e }}{{ end }}': '0a1b',
  '{{ range $k, $v := .nested }}{{ $k }}={{ $v }} {{ end }}': 'a=map[b:deep] z=1 ',
  '{{ range 3 }}{{ . }}{{ end }}{{ range $i := 2 }}{{ $i }}{{ end }}': '01201',
  '{{ range .none }}x{{ else }}empty{{ end }}': 'empty',
  '{{ range 9 }}{{ if eq . 1 }}{{ continue }}{{ end }}{{ if eq . 3 }}{{ break }}{{ end }}{{ . }}{{ end }}': '02',
  '{{ range .tags }}{{ range . | splitList "" }}{{ break }}{{ end }}{{ . }}{{ end }}': 'ab',
})

promises('trims around markers and leaves comments out', {
  'a \n {{- "b" -}} \n c': 'abc',
  'a {{- /* gone */ -}} b': 'ab',
  '{{ 3 -}} x': '3x',
  '{{-3 }}': '-3',
})

promises('tells int, int64 and float64 apart', {
  '{{ printf "%T %T %T" 1 .port .ratio }}': 'int int64 float64',
  '{{ eq .port 80 }} {{ lt 1 .port }}': 'true true',
  '{{ eq .port 80.0 }}':
    'template: t:1:3: executing "t" at <eq .port 80.0>: error calling eq: incompatible types for comparison: int64 and float64',
  '{{ has 80 (list .port) }} {{ has 80 (list 80) }}': 'false true',
  '{{ repeat .port "x" }}': 'template: t:1:10: executing "t" at <.port>: wrong type for value; expected int; got int64',
  '{{ 1000000.0 }} {{ 123456.5 }} {{ 1e-5 }}': '1e+06 123456.5 1e-05',
  "{{ 0x1F }} {{ 0b11 }} {{ 017 }} {{ 1_000 }} {{ 'a' }}": '31 3 15 1000 97',
})

promises('names template, line and column of what fails', {
  'a\n{{ .port.x }}': `template: t:2:8: executing "t" at <.port.x>: can't evaluate field x in type interface {}`,
  'é{{ .port.x }}': `template: t:1:10: executing "t" at <.port.x>: can't evaluate field x in type interface {}`,
  '{{ define "in" }}{{ index . 9 }}{{ end }}{{ template "in" .tags }}':
    'template: t:1:20: executing "in" at <index . 9>: error calling index: index out of range: 9',
  '{{ template "gone" }}': 'template: t:1:12: executing "t" at <{{template "gone"}}>: template "gone" not defined',
  '{{ nil }}': 'template: t:1:3: executing "t" at <nil>: nil is not a command',
  '{{ 1 2 }}': `template: t:1:3: executing "t" at <1>: can't give argument to non-function 1`,
  '{{ call .name }}':
    'template: t:1:3: executing "t" at <call .name>: error calling call: non-function .name of type string',
  '{{ fail "no" }}': 'template: t:1:3: executing "t" at <fail "no">: error calling fail: no',
})

promises('refuses what does not parse with Go words', {
  '\n\n{{ nosuch }}': 'template: t:3: function "nosuch" not defined',
  '{{ if .a }}': 'template: t:1: unexpected EOF',
  '{{ if\n .a\n': 'template: t:3: unclosed action started at t:1',
  '{{ /*': 'template: t:1: unexpected "/" in command',
  '{{/* a': 'template: t:1: unclosed comment',
  '{{/* a */ x }}': 'template: t:1: comment ends before closing delimiter',
  '{{ .a | 3 }}': 'template: t:1: non executable command in pipeline stage 2',
  '{{ $x }}': 'template: t:1: undefined variable "$x"',
  '{{ break }}': 'template: t:1: {{break}} outside {{range}}',
  '{{ else }}': 'template: t:1: unexpected {{else}}',
  '{{ "a\n" }}': 'template: t:1: unterminated quoted string',
  '{{ (.a }}': 'template: t:1: unclosed left paren',
  '{{ 1a }}': 'template: t:1: bad number syntax: "1a"',
  '{{ 08 }}': 'template: t:1: integer overflow: "08"',
  '{{ define "a" }}x{{ end }}{{ define "a" }}y{{ end }}':
    'template: t:1: template: multiple definition of template "a"',
})

test('reads an absent key as the policy says', () => {
  const of = (missingKey?: TemplateOptions['missingKey']) =>
    outcome('{{ .nope }}|{{ .nope.deeper }}', missingKey && { missingKey })
  assert.equal(of(), '<no value>|<no value>')
  assert.equal(
    of('zero'),
    'template: t:1:20: executing "t" at <.nope.deeper>: nil pointer evaluating interface {}.deeper',
  )
  assert.equal(of('error'), 'template: t:1:3: executing "t" at <.nope>: map has no entry for key "nope"')
  assert.equal(outcome('{{ (split "," "a,b")._7 }}|', { missingKey: 'zero' }), '|')
})

test('break and continue are functions where functions have these names, other keywords never', () => {
  const named = (...names: string[]) => new Map(names.map(name => [name, new TemplateFunction([], () => `<${name}>`)]))
  const of = (text: string, ...names: string[]) => outcome(text, { functions: named(...names) })
  assert.equal(of('{{ break }}{{ continue }}', 'break', 'continue'), '<break><continue>')
  assert.equal(of('{{ break }}{{ range 2 }}{{ continue }}x{{ end }}', 'break', 'end'), '<break>')
  assert.equal(of('{{ continue }}{{ range 2 }}{{ break }}x{{ end }}', 'continue', 'if'), '<continue>')
  assert.equal(of('{{ if 1 }}x{{ end }}{{ end }}', 'if', 'end'), 'template: t:1: unexpected {{end}}')
})

test('leaves other delimiters alone', () => {
  assert.equal(render('{{ x }} << .name >> ${Y}', { delimiters: ['<<', '>>'] }), '{{ x }} web ${Y}')
})

test('gives each run its own functions and data, parsed once', () => {
  const inputs = new TemplateFunction([], () => null)
  const template = parseTemplate('t', '{{ inputs.id }}', { functions: new Map([['inputs', inputs]]) })
  const run = (id: number) => template.execute(null, { calls: new Map([['inputs', () => fromJson({ id })]]) })
  assert.deepEqual([run(1), run(2)], ['1', '2'])
})

test('calls methods, and functions that are values', () => {
  const files = new Struct(
    'chart.Files',
    new Map(),
    new Map([['Get', new TemplateFunction(['string'], name => `<${name}>`)]]),
  )
  const double = new TemplateFunction(['int'], (n: number) => int(n * 2))
  const template = parseTemplate('t', '{{ .Files.Get "a.txt" }}{{ call .double 4 }}')
  const values = new Map<string, Struct | TemplateFunction>([
    ['Files', files],
    ['double', double],
  ])
  assert.equal(template.execute(values as never), '<a.txt>8')
})

test('calls functions that are values with the arguments they require, or reports what is wrong', () => {
  const values = new Map<string, Value>([
    ['whole', 5n],
    ['none', null],
    ['double', new TemplateFunction(['int'], (n: number) => int(n * 2))],
    ['shout', new TemplateFunction(['string'], (text: string) => `${text}!`)],
    ['count', new TemplateFunction(['[]interface {}'], (list: unknown[]) => int(list.length))],
    ['glue', new TemplateFunction(['string'], (...texts: string[]) => texts.join('+'), 'string')],
  ])
  const called = (call: string): string => {
    try {
      return parseTemplate('t', `{{ call ${call} }}`, { functions: functions() }).execute(values)
    } catch (error) {
      return (error as Error).message.replace(/^.*error calling call: /, '')
    }
  }
  const calls = {
    '.double 4': '8',
    '.shout "a"': 'a!',
    '.count nil': '0',
    '.glue "a"': 'a',
    '.glue "a" "b" "c"': 'a+b+c',
    '.double': 'wrong number of args for .double: got 0 want 1',
    '.double .whole': '10',
    '.double (index "abc" 0)': '194',
    '.double .none': 'arg 0: value is nil; should be of type int',
    '.shout .whole': 'arg 0: value has type int64; should be string',
    '.double 1.5': 'arg 0: value has type float64; should be int',
    '.double 1 2': 'wrong number of args for .double: got 2 want 1',
    '.glue': 'wrong number of args for .glue: got 0 want at least 1',
    '.double "a"': 'arg 0: value has type string; should be int',
    '.glue "a" 1': 'arg 1: value has type int; should be string',
    '.shout nil': 'arg 0: value is nil; should be of type string',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(calls).map(call => [call, called(call)])), calls)
})

test('methods named like builtins, or like functions of the run, are methods still', () => {
  const shown = (...args: Value[]) => args.map(String).join('+')
  const names = ['and', 'or', 'call', 'mine']
  const methods = new Map(names.map(name => [name, new TemplateFunction(['string'], shown, 'string')]))
  const data = new Map([['s', new Struct('own.Type', new Map(), methods)]])
  const calls = new Map(names.map(name => [name, () => 'of the run']))
  for (const name of names)
    assert.equal(parseTemplate('t', `{{ .s.${name} "" "b" }}`).execute(data, { calls }), '+b', name)
})

test('functions are called, not printed', () => {
  const data = new Map<string, Value>([['f', new TemplateFunction(['int'], () => '', 'string')]])
  assert.throws(() => parseTemplate('t', '{{ $x := 1 }}a{{ .f }}').execute(data), {
    message: `template: t:1:17: executing "t" at <{{.f}}>: can't print {{.f}} of type func(int, ...string) interface {}`,
  })
})

test('executes any template that the text defines, and names one that it does not', () => {
  const template = parseTemplate('t', 'all{{ define "in" }}[{{ . }}]{{ end }}')
  assert.equal(template.executeTemplate('in', 'x'), '[x]')
  assert.equal(template.executeTemplate('in', null), '[<no value>]')
  assert.equal(template.execute(null), 'all')
  assert.throws(() => template.executeTemplate('a"b', null), {
    message: 'template: no template "a\\"b" associated with template "t"',
  })
})

test('fields of structs take no arguments', () => {
  const struct = new Struct('chart.Chart', new Map([['Name', 'web']]), new Map())
  const of = (template: string) =>
    parseTemplate('t', template, { functions: functions() }).execute(new Map([['Chart', struct]]) as never)
  assert.equal(of('{{ .Chart.Name }}'), 'web')
  assert.throws(
    () => of('{{ .Chart.Name 1 }}'),
    /<\.Chart\.Name>: Name has arguments but cannot be invoked as function/,
  )
})

test('keeps bugs apart from errors of a template', () => {
  for (const bug of [TypeError, ReferenceError]) {
    const broken = new TemplateFunction([], () => {
      throw new bug('a bug')
    })
    const template = parseTemplate('t', '{{ broken }}', { functions: new Map([['broken', broken]]) })
    assert.throws(() => template.execute(null), bug)
  }
})

promises('actions that read the same are told apart by their places', {
  '{{ if .none }}{{ .name.x }}{{ end }}\n  {{ .name.x }}':
    'template: t:2:10: executing "t" at <.name.x>: can\'t evaluate field x in type interface {}',
  '{{ with .name }}{{ . }}{{ end }}{{ . | len }}{{ range .tags }}{{ . }}{{ . | len }}{{ end }}': 'web6a1b1',
  '{{ $v := 1 }}{{ $v }}\n{{ define "d" }}{{ $v }}{{ end }}': 'template: t:2: undefined variable "$v"',
  '{{ $v := 1 }}{{ $w := 2 }}{{ $v }}{{ define "d" }}{{ $w := 3 }}{{ $v := 4 }}{{ $v }}{{ end }}{{ template "d" }}':
    '14',
  '{{ range .tags }}{{ break }}{{ end }}\n{{ break }}': 'template: t:2: {{break}} outside {{range}}',
  '{{ "}}" }}{{ "}}" }}{{ .name -}} \n {{ .name }} \n {{- .name -}} x': '}}}}webwebwebx',
})
