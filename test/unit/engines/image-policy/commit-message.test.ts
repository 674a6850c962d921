import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certifier } from '../../../../lib/compose/certifier.ts'
import { nameFunctions } from '../../../../lib/engines/helm/name-functions.ts'
import {
  commitMessage,
  type FileChanges,
  RemovedTemplateField,
  withoutChance,
} from '../../../../lib/engines/image-policy/commit-message.ts'

const functions = withoutChance(nameFunctions(certifier))
const object = (kind: string, name: string) => ({ apiVersion: 'apps/v1', kind, name, namespace: 'prod' })
const change = (kind: string, name: string, newValue: string) => ({
  ...{ object: object(kind, name), setter: 'apps:app', oldValue: 'x:1', newValue },
})
const changes: FileChanges = new Map([
  ['b.yaml', [change('Deployment', 'b', 'x:2')]],
  ['a.yaml', [change('StatefulSet', 'a', 'x:2'), change('Deployment', 'a', 'x:3')]],
])
const message = (template?: string, values?: Record<string, string>) =>
  commitMessage(template, { automation: { namespace: 'flux', name: 'auto' }, changes, values }, functions)

test('IM-041: the default message', () => {
  assert.equal(message(), 'Update from image update automation')
})

test('IM-042: files, objects, changes and values, in the order in which Go sorts keys', () => {
  const template = `Automated image update

Automation name: {{ .AutomationObject }} ({{ .AutomationObject.Name }} of {{ .AutomationObject.Namespace }})

Files:
{{ range $filename, $_ := .Changed.FileChanges -}}
- {{ $filename }}
{{ end -}}

Objects:
{{ range $resource, $changes := .Changed.Objects -}}
- {{ $resource.Kind }} {{ $resource.Name }}
  Changes:
{{- range $_, $change := $changes }}
    - {{ $change.OldValue }} -> {{ $change.NewValue }} ({{ $change.Setter }})
{{- end }}
{{ end -}}
{{ range .Changed.Changes }}{{ println .OldValue .NewValue }}{{ end -}}
{{ .Values.cluster | upper }}`
  assert.equal(
    message(template, { cluster: 'prod' }),
    `Automated image update

Automation name: flux/auto (auto of flux)

Files:
- a.yaml
- b.yaml
Objects:
- Deployment a
  Changes:
    - x:1 -> x:3 (apps:app)
- Deployment b
  Changes:
    - x:1 -> x:2 (apps:app)
- StatefulSet a
  Changes:
    - x:1 -> x:2 (apps:app)
x:1 x:2
x:1 x:3
PROD`,
  )
})

test('IM-043: fields that were removed are named', () => {
  const removed = (template: string) => {
    try {
      return message(template)
    } catch (error) {
      assert.ok(error instanceof RemovedTemplateField)
      return error.message
    }
  }
  assert.match(removed('{{ .Updated.Images }}'), /^template uses removed '.Updated' field. Please use '.Changed'/)
  assert.match(removed('{{ .Changed.ImageResult }}'), /^template uses removed '.Changed.ImageResult' field/)
})

test('IM-041: functions that depend on the time, chance or the environment are unknown', () => {
  for (const name of ['now', 'env "HOME"', 'randAlpha 3', 'uuidv4', 'getHostByName "localhost"'])
    assert.throws(
      () => message(`{{ ${name} }}`),
      /^Error: unable to create commit message template from spec: template: commit message:1: function "\w+" not defined$/,
    )
  assert.throws(() => message('{{ .Nope }}'), /^Error: failed to run template from spec: template: commit message:1:/)
})
