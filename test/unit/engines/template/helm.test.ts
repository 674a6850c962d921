import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { helmFunctions } from '../../../../lib/engines/template/functions/helm.ts'
import { hermeticFunctions } from '../../../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import { fromJson } from '../../../../lib/engines/template/values/from-json.ts'
import { helmCalls } from './go-functions/helm.ts'

const recorded = JSON.parse(
  readFileSync(new URL('go-functions/helm.recorded.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, string>>
const data = fromJson({ Values: { name: 'web', text: '{{ .Values.name }}-{{ include "suffix" . }}', empty: '' } })

const outcome = (text: string): string => {
  const functions = new Map([...hermeticFunctions(), ...helmFunctions])
  try {
    return parseTemplate('chart', text, { functions }).execute(data)
  } catch (error) {
    return (error as Error).message
  }
}

const suffix = '{{ define "suffix" }}{{ .Values.name | upper }}{{ end }}'

test('includes templates as values', () => {
  assert.equal(outcome(`${suffix}{{ include "suffix" . | lower | quote }}`), '"web"')
  assert.equal(outcome('{{ define "dot" }}<{{ . }}>{{ end }}{{ include "dot" 5 }}{{ include "dot" "x" }}'), '<5><x>')
})

test('expands texts that call defined templates, and may define their own', () => {
  assert.equal(outcome(`${suffix}{{ tpl .Values.text . }}`), 'web-WEB')
  assert.equal(outcome('{{ tpl "{{ define \\"x\\" }}y{{ end }}{{ include \\"x\\" . }}" . }}'), 'y')
})

test('reports which include an error came through', () => {
  assert.equal(
    outcome('{{ define "a" }}{{ required "need it" .Values.empty }}{{ end }}{{ include "a" . }}'),
    'template: chart:1:66: executing "chart" at <include "a" .>: error calling include: ' +
      'template: chart:1:19: executing "a" at <required "need it" .Values.empty>: error calling required: need it',
  )
})

test('ends includes and expansions that call themselves', () => {
  assert.match(
    outcome('{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}'),
    /exceeded maximum template depth/,
  )
  assert.match(
    outcome('{{ $x := `{{ tpl . . }}` }}{{ tpl $x $x }}'),
    /exceeded maximum template depth|nested too deeply/,
  )
})

test('reads YAML and JSON, with the message as the result where that fails (HR-135)', () => {
  assert.equal(outcome('{{ (fromYaml "a: [1, x]").a }}{{ fromYamlArray "- 1" }}'), '[1 x][1]')
  assert.equal(
    outcome('{{ (fromJson "{bad").Error }}'),
    "invalid character 'b' looking for beginning of object key string",
  )
  assert.equal(outcome('{{ hasKey (fromYaml "a: [") "Error" }}'), 'true')
  assert.equal(outcome('{{ toYaml (dict "a" 1) }}|{{ lookup "v1" "Pod" "" "x" }}'), 'a: 1|map[]')
})

test('toToml writes tables after plain keys, and a failure as text (HR-135)', () => {
  const data = '(dict "b" (dict "c" (list 1 2.5) "d" (dict)) "a" "x\\ny" "t" (list (dict "k" true)) "q r" nil)'
  assert.equal(outcome(`{{ toToml ${data} }}`), 'a = "x\\ny"\n\n[b]\n  c = [1, 2.5]\n  [b.d]\n\n[[t]]\n  k = true\n')
  assert.equal(outcome('{{ toToml (dict "a" (list nil)) }}'), 'toml: cannot encode array with nil element')
})

for (const [title, calls] of Object.entries(helmCalls))
  test(`as in Helm: ${title}`, () => {
    for (const call of calls) {
      const came = outcome(`{{ ${call} | toJson }}`).replace(/^template: .*(?:error calling \w+: |>: )/s, 'failed: ')
      assert.equal(came, recorded[call], call)
    }
  })
