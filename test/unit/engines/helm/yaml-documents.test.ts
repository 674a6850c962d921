import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readValues } from '../../../../lib/engines/helm/read-yaml.ts'
import { yamlDocuments } from '../../../../lib/engines/helm/yaml-documents.ts'

test('documents end at lines that begin with three dashes, with nothing or a comment behind them', () => {
  assert.deepEqual(
    [...yamlDocuments('a: 1\n--- # next\nb: 2\n---#x\n--- \u00a0\nc: 3\n---')],
    ['a: 1\n', 'b: 2\n', '--- \u00a0\nc: 3\n'],
  )
  assert.deepEqual([...yamlDocuments('')], [])
})

// As Helm 4.3.1 says of such a file of values.
for (const [text, said] of [
  ['a: 1\n--- text\nb: 2\n', 'text'],
  ['a: 1\n----\nb: 2\n', '-'],
  ['---b: 1\n', 'b: 1'],
  ['--- {a: 1}\n', '{a: 1}'],
  ['a: 1\n---\rb: 2\n', 'b: 2'],
  ['a: [\n--- x\n', 'x'],
] as const)
  test(`what follows three dashes in ${JSON.stringify(text)} is refused`, () => {
    const message = `error reading yaml document: invalid Yaml document separator: ${said}`
    assert.throws(() => readValues(Buffer.from(text)), { message })
  })

test('a document that is broken is reported before a separator behind it', () => {
  assert.throws(
    () => readValues(Buffer.from('a: [\n---\nb: 1\n--- x\n')),
    /^HelmError: cannot unmarshal yaml document: /,
  )
})
