import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { withOwnerLabels } from '../../../../lib/clusters/apply/owner.ts'
import { digestOf, rawDigestOf, specDigestOf } from '../../../../lib/engines/resource-set/digest.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const owned = (namespace: string, object: object) =>
  withOwnerLabels(object as KubernetesObject, {
    group: 'fluxcd.controlplane.io',
    labelGroup: 'resourceset.fluxcd.controlplane.io',
    namespace,
    name: 'app',
  })
const configMap = (namespace: string, metadata: object, data: object) =>
  owned(namespace, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, ...metadata }, data })

test("RS-134 the digest of a set is flux-operator's (recorded: rs-disabled, rs-copy-from-bad)", () => {
  assert.equal(
    digestOf([configMap('rs-disabled', { name: 'cm' }, { k: 'v' })]),
    'sha256:97994f90f7b4cbb400b142ab0a5e4d2e027a17d4179868c052168b8526e8242c',
  )
  const annotations = { 'fluxcd.controlplane.io/copyFrom': 'src' }
  assert.equal(
    rawDigestOf([configMap('rs-copy-from-bad', { name: 'copy', annotations }, { key: 'value' })]),
    'sha256:30b213c911f641dd531f385b3aa7f636a4071273615f0c0b6e4f1ec816b9ad45',
  )
  assert.equal(digestOf([]), 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

test('RS-132 what could not be rendered is known by the digest of its spec (recorded: rs-missing-key)', () => {
  const resources = [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cm-<< inputs.nope >>', namespace: 'rs-missing-key' },
      data: { k: 'v' },
    },
  ]
  const inputs = [
    { tenant: 'one', n: 1 },
    { tenant: 'two', n: 2 },
  ]
  assert.equal(
    specDigestOf({ resources, inputs }),
    'sha256:f49b04c2234adbd10b158b45ef98fcdcc129c862f3619e574289174377f855f1',
  )
})

test("objects count as Go's types write them, with their empty fields and without status", () => {
  const digestOfText = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
  const pod = { initContainers: [{ name: 'a', image: 'i' }], containers: [{ image: 'i' }, 'odd'] }
  const podLines = [
    'containers:',
    '- image: i',
    '  name: ""',
    '  resources: {}',
    '- odd',
    'initContainers:',
    '- image: i',
    '  name: a',
    '  resources: {}',
  ]
  const templateLines = ['template:', '  metadata: {}', '  spec:', ...podLines.map(line => `    ${line}`)]
  const forms: [kind: string, spec: unknown, lines: readonly string[]][] = [
    ['ConfigMap', undefined, []],
    ['toString', undefined, []],
    ['Namespace', undefined, ['spec: {}']],
    ['Pod', pod, ['spec:', ...podLines.map(line => `  ${line}`)]],
    ['Pod', undefined, ['spec: {}']],
    ['Deployment', { template: { spec: pod } }, spec('selector: null', 'strategy: {}', ...templateLines)],
    ['ReplicaSet', { template: { spec: pod } }, spec('selector: null', ...templateLines)],
    [
      'StatefulSet',
      { template: { spec: pod } },
      spec('selector: null', 'serviceName: ""', ...templateLines, 'updateStrategy: {}'),
    ],
    ['DaemonSet', { template: { spec: pod } }, spec('selector: null', ...templateLines, 'updateStrategy: {}')],
    ['Job', { template: { spec: pod } }, spec(...templateLines)],
    [
      'CronJob',
      { jobTemplate: { spec: { template: { spec: pod } } } },
      spec('jobTemplate:', '  metadata: {}', ...spec(...templateLines).map(line => `  ${line}`), 'schedule: ""'),
    ],
    [
      'Service',
      { ports: [{ port: 1 }, { port: 2, targetPort: 'http' }] },
      spec('ports:', '- port: 1', '  targetPort: 0', '- port: 2', '  targetPort: http'),
    ],
  ]
  for (const [kind, spec, lines] of forms) {
    const object = {
      apiVersion: 'v1',
      kind,
      metadata: { name: 'x' },
      ...(spec !== undefined && { spec }),
      status: { a: 1 },
    }
    const text = [
      'apiVersion: v1',
      `kind: ${kind}`,
      'metadata:',
      '  creationTimestamp: null',
      '  name: x',
      ...lines,
      '---',
      '',
    ]
    assert.equal(digestOf([object]), digestOfText(text.join('\n')), kind)
  }
})

const spec = (...lines: readonly string[]): readonly string[] => ['spec:', ...lines.map(line => `  ${line}`)]

test('fields of the spec count in the order of the type, whatever the order they are written in', () => {
  const text =
    '{"commonMetadata":{},"inputStrategy":{"name":"Permute"},"inputs":[],"inputsFrom":[],"resources":[],"resourcesTemplate":"","steps":[],"dependsOn":[],"serviceAccountName":"x","wait":true}'
  const reversed = Object.fromEntries(Object.entries(JSON.parse(text)).reverse())
  assert.equal(specDigestOf(reversed), `sha256:${createHash('sha256').update(text).digest('hex')}`)
})

test('the digest of several objects is that of their documents, one after the other', () => {
  const objects = ['a', 'b'].map(name => ({ apiVersion: 'v1', kind: 'A', metadata: { name } }))
  const document = (name: string, extra = '') => `apiVersion: v1\nkind: A\nmetadata:\n${extra}  name: ${name}\n---\n`
  const sum = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
  assert.equal(rawDigestOf(objects), sum(document('a') + document('b')))
  const written = '  creationTimestamp: null\n'
  assert.equal(digestOf(objects), sum(document('a', written) + document('b', written)))
})
