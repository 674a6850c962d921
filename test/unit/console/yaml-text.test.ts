import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { yamlLines } from '../../../lib/console/model/yaml-text.ts'

test('keys keep their order, long texts are blocks, and ambiguous words are quoted', () => {
  const object = {
    kind: 'ConfigMap',
    metadata: { labels: { on: 'yes' } },
    list: [{ a: 1, b: [] }, 'x'],
    text: 'a\nb\n',
  }
  assert.deepEqual(yamlLines(object), [
    'kind: ConfigMap',
    ...['metadata:', '  labels:', '    "on": "yes"'],
    ...['list:', '  - a: 1', '    b: []', '  - x'],
    ...['text: |', '  a', '  b'],
  ])
})

test('any JSON value is the same when it is read again', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = yamlLines(value).join('\n')
      assert.deepEqual(parse(`v:\n${indent(text)}`).v, JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 500 },
  )
})

const indent = (text: string): string =>
  text
    .split('\n')
    .map(line => ` ${line}`)
    .join('\n')
