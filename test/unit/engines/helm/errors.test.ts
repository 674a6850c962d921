import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RenderError } from '../../../../lib/engines/helm/helm-error.ts'
import { render, rendered } from './chart-of.ts'

const helpers = {
  'templates/_h.tpl':
    '{{ define "deep" }}\n{{ .x.y.z }}{{ end }}{{ define "stop" }}{{ fail "enough" }}{{ end }}{{ define "again" }}{{ include "again" . }}{{ end }}',
}
const message = async (template: string): Promise<string> => {
  try {
    return await rendered(template, '', helpers)
  } catch (error) {
    assert.ok(error instanceof RenderError, String(error))
    return error.message
  }
}

test('the message of fail follows the position of the outermost template (HR-142)', async () => {
  assert.equal(
    await message('{{ required "say it" .Values.a }}'),
    'execution error at (web/templates/a.yaml:2:5): say it',
  )
  assert.equal(await message('{{ include "stop" . }}'), 'execution error at (web/templates/a.yaml:2:5): enough')
})

test("Go's own messages become a trace (HR-142)", async () => {
  assert.equal(
    await message('{{ include "deep" (dict "x" (dict)) }}'),
    `web/templates/a.yaml:2:5
  executing "web/templates/a.yaml" at <include "deep" (dict "x" (dict))>:
    error calling include:
web/templates/_h.tpl:2:5
  executing "deep" at <.x.y.z>:
    nil pointer evaluating interface {}.z`,
  )
  assert.equal(
    await message('{{ include "none" . }}'),
    `web/templates/a.yaml:2:5
  executing "web/templates/a.yaml" at <include "none" .>:
    error calling include:
template: no template "none" associated with template "gotpl"`,
  )
})

test('a message that is not all of Go stays as it is', async () => {
  assert.equal(
    await message('{{ tpl "{{ .Values.a.b }}" . }}'),
    'template: web/templates/a.yaml:2:5: executing "web/templates/a.yaml" at <tpl "{{ .Values.a.b }}" .>: error calling tpl: error during tpl function execution for "{{ .Values.a.b }}": template: gotpl:1:10: executing "gotpl" at <.Values.a.b>: nil pointer evaluating interface {}.b',
  )
  assert.match(
    await message('{{ tpl "{{ if }}" . }}'),
    /error calling tpl: cannot parse template "\{\{ if }}": template: gotpl:1: missing value for if$/,
  )
})

test('an invalid template is reported with its line', async () => {
  assert.equal(await message('{{ if }}'), 'parse error at (web/templates/a.yaml:2): missing value for if')
})

test('a template that includes itself is stopped (HR-141)', async () => {
  assert.match(
    await message('{{ include "again" . }}'),
    /rendering template has a nested reference name: again: unable to execute template$/,
  )
})

test('endless work and endless text are stopped', async () => {
  assert.match(
    await message('{{ $l := until 3000 }}{{ range $l }}{{ range $l }}{{ end }}{{ end }}'),
    /exceeded 5000000 steps$/,
  )
  assert.match(
    await message('{{ $s := "x" }}{{ range until 64 }}{{ $s = print $s $s }}{{ end }}'),
    /made more than \d+ characters$/,
  )
})

test('invalid YAML is reported with its template; numbers are allowed as names', async () => {
  const reason = async (text: string) => {
    try {
      return (await render({ 'templates/a.yaml': text })).manifests.map(({ head }) => head.name)
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.equal(
    await reason('a: 1\nb\nc: 2\n'),
    "YAML parse error on web/templates/a.yaml: error converting YAML to JSON: yaml: line 3: could not find expected ':'",
  )
  // go-yaml v3, which reads ahead, would complain of line 3 instead.
  assert.equal(
    await reason('volumes:\n- name: a\n  {}\n'),
    'YAML parse error on web/templates/a.yaml: error converting YAML to JSON: yaml: line 2: did not find expected key',
  )
  assert.equal(
    await reason('metadata: {annotations: [a]}'),
    'YAML parse error on web/templates/a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field .metadata.annotations of type map[string]string',
  )
  assert.deepEqual(await reason('Kind: Pod\nmetadata: {name: 123}'), ['123'])
})
