import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openChanges } from '../../../../lib/clusters/apply/open-changes.ts'
import type { PlannedChange } from '../../../../lib/clusters/apply/planned-changes.ts'
import { type KubernetesObject, refOf } from '../../../../lib/foundations/kinds/object.ts'

const configMap = (name: string, data: object, more: object = {}): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data, ...more }) as KubernetesObject

const changed = (before: KubernetesObject, after: KubernetesObject): PlannedChange => ({
  ...{ ref: refOf(after), apiVersion: after.apiVersion, action: 'configured', origin: 'a.yaml' },
  states: { before, after },
})

const open = { isHidden: () => false, masked: (text: string) => text }
const live = '(a value that is not in the repository)'

test('a value is shown if a build of the repository alone has it at that place', () => {
  const [change] = openChanges(
    [changed(configMap('a', { same: '1', scaled: '5' }), configMap('a', { same: '2', scaled: '3' }))],
    { base: [configMap('a', { same: '1', scaled: '2' })], head: [configMap('a', { same: '2', scaled: '3' })] },
    open,
  )
  assert.deepEqual(change, {
    ...{ action: 'configured', kind: 'ConfigMap', name: 'shop/a', origin: 'a.yaml', moreFields: 0 },
    fields: [
      { path: 'data.same', before: '1', after: '2' },
      { path: 'data.scaled', before: live, after: '3' },
    ],
  })
})

test('the same value at another place does not make a live value known: guesses are not confirmed', () => {
  const [change] = openChanges(
    [changed(configMap('a', { key: 'live' }), configMap('a', { key: 'x', guess: 'live' }))],
    { base: [], head: [configMap('a', { key: 'x', guess: 'live' })] },
    open,
  )
  assert.deepEqual(change?.fields, [
    { path: 'data.key', before: live, after: 'x' },
    { path: 'data.guess', after: 'live' },
  ])
})

test('a name, a kind and a path that come from a secret are not shown, nor how many there are', () => {
  const named = configMap('leak-s3cret', {})
  const shown = openChanges(
    [
      { ref: refOf(named), apiVersion: 'v1', action: 'created', origin: 'a.yaml' },
      { ref: { ...refOf(named), kind: 'S3cret' }, apiVersion: 'v1', action: 'unknown', waitsFor: 's3cret' },
      { ref: refOf(named), apiVersion: 'v1', action: 'deleted' },
      changed(configMap('a', {}), configMap('a', { s3cret: 'x', open: 'y' })),
    ],
    { base: [configMap('a', {})], head: [configMap('leak-hidden', {}), configMap('a', { hidden: 'x', open: 'y' })] },
    open,
  )
  assert.deepEqual(shown, [
    {
      ...{ action: 'configured', kind: 'ConfigMap', name: 'shop/a', origin: 'a.yaml', moreFields: 0, hasOthers: true },
      fields: [{ path: 'data.open', after: 'y' }],
    },
  ])
  assert.doesNotMatch(JSON.stringify(shown), /s3cret/i)
})

test('values of Secrets, of decrypted objects, and texts with a secret in them are masked', () => {
  const secret = (value: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'shop' },
    stringData: { key: value },
  })
  const stored = (value: string) => ({
    ...secret(value),
    stringData: undefined,
    data: { key: Buffer.from(value).toString('base64') },
  })
  const [ofSecret, ofHidden, ofText] = openChanges(
    [
      changed(stored('a') as KubernetesObject, stored('b') as KubernetesObject),
      changed(configMap('hidden', { key: '1' }), configMap('hidden', { key: '2' })),
      changed(configMap('text', { key: '1' }), configMap('text', { key: 'has s3cret in it' })),
    ],
    {
      base: [secret('a') as KubernetesObject, configMap('hidden', { key: '1' }), configMap('text', { key: '1' })],
      head: [
        secret('b') as KubernetesObject,
        configMap('hidden', { key: '2' }),
        configMap('text', { key: 'has s3cret in it' }),
      ],
    },
    { isHidden: ({ metadata }) => metadata.name === 'hidden', masked: text => text.replaceAll('s3cret', '***') },
  )
  assert.deepEqual(ofSecret?.fields, [{ path: 'data.key', before: '***', after: '***' }])
  assert.deepEqual(ofHidden?.fields, [{ path: 'data.key', before: '***', after: '***' }])
  assert.deepEqual(ofText?.fields, [{ path: 'data.key', before: '1', after: '***' }])
})

test('without builds of the repository alone nothing is shown', () => {
  const changes = openChanges(
    [changed(configMap('a', { key: '1' }), configMap('a', { key: '2' }))],
    { base: [], head: [] },
    open,
  )
  assert.deepEqual(changes, [])
})
