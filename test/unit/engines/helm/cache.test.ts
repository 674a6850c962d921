import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RenderCache } from '../../../../lib/engines/helm/render-cache.ts'
import { rendered } from './chart-of.ts'

test('a cache of what was rendered changes nothing but the time', async () => {
  const cache = new RenderCache()
  const again = (template: string, values = '') => rendered(template, values, {}, { cache })
  const template = '{{ tpl "{{ define \\"x\\" }}{{ .Values.a }}{{ end }}{{ include \\"x\\" . }}" . }}'
  assert.equal(await again(template, 'a: 1'), '1')
  assert.equal(await again(template, 'a: 2'), '2')
  assert.equal(await again('{{ .Values.a }}', 'a: 3'), '3')
  await assert.rejects(again('{{ include "x" . }}', 'a: 4'), /no template "x"/)
})
