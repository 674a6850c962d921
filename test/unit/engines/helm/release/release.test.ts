import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { installOrder, sortByKind } from '../../../../../lib/engines/helm/kind-order.ts'
import {
  deployedOf,
  newestFirst,
  obsoleteVersions,
  type Release,
  type ReleaseStatus,
} from '../../../../../lib/engines/helm/release/release.ts'
import {
  decodeRelease,
  encodeRelease,
  requireStorable,
  secretLabels,
  secretName,
} from '../../../../../lib/engines/helm/release/stored-release.ts'
import { threeWayMerge } from '../../../../../lib/engines/helm/release/three-way-merge.ts'
import { uninstallOrder } from '../../../../../lib/engines/helm/release/uninstall-order.ts'

const version = (number: number, status: ReleaseStatus): Release => ({ name: 'app', version: number, info: { status } })

test('HR-113 HR-114 a release is packed JSON without what is empty, and comes back as it was', () => {
  const release: Release = {
    ...{ name: 'app', namespace: 'apps', version: 3, manifest: '---\n', config: {}, apply_method: 'ssa' },
    info: { status: 'deployed', description: 'Install complete', notes: '' },
    hooks: [
      { name: 'h', kind: 'Job', path: 'app/templates/h.yaml', manifest: 'x', last_run: { phase: '' }, weight: 0 },
    ],
    labels: { team: 'a' },
  }
  const json = JSON.parse(gunzipSync(Buffer.from(encodeRelease(release), 'base64')).toString())
  assert.deepEqual(json, {
    ...{ name: 'app', namespace: 'apps', version: 3, manifest: '---\n', apply_method: 'ssa' },
    info: { status: 'deployed', description: 'Install complete' },
    hooks: [{ name: 'h', kind: 'Job', path: 'app/templates/h.yaml', manifest: 'x', last_run: { phase: '' } }],
  })
  assert.deepEqual(decodeRelease(encodeRelease(release)), json)
  assert.throws(() => decodeRelease('bm90aGluZw=='), { message: 'is not a release in the format of Helm' })
})

test('HR-112 the Secret has the labels by which helm finds the release, and those of the user', () => {
  const release = { ...version(2, 'failed'), labels: { team: 'a', status: 'old' } }
  assert.equal(secretName(release), 'sh.helm.release.v1.app.v2')
  assert.deepEqual(secretLabels(release), { team: 'a', name: 'app', owner: 'helm', status: 'failed', version: '2' })
})

test('HR-119 a release that no Secret holds is refused with its size', () => {
  assert.throws(() => requireStorable(version(1, 'deployed'), 'x'.repeat(1024 * 1024 + 1)), {
    message: /^release app takes 1048577 bytes when stored, and a Secret holds 1048576: /,
  })
})

test('HR-116 the oldest versions go, the deployed one stays', () => {
  const releases = [version(1, 'deployed'), version(2, 'failed'), version(3, 'failed'), version(4, 'failed')]
  assert.deepEqual(
    obsoleteVersions(releases, 3).map(one => one.version),
    [2, 3],
  )
  assert.deepEqual(obsoleteVersions(releases, 5), [])
  assert.equal(deployedOf([version(1, 'deployed'), version(3, 'deployed'), version(4, 'failed')])?.version, 3)
  assert.deepEqual(
    newestFirst(releases).map(one => one.version),
    [4, 3, 2, 1],
  )
})

test('HR-122 three ways: what left goes, what others have set stays, items are known by their keys', () => {
  const original = {
    spec: { replicas: 1, gone: true, containers: [{ name: 'a', image: '1', args: ['x'] }, { name: 'old' }] },
  }
  const target = { spec: { replicas: 2, containers: [{ name: 'a', image: '2' }, { name: 'new' }], list: ['a'] } }
  const live = {
    spec: {
      ...{ replicas: 1, gone: true, own: 1, list: ['b', 'c'] },
      containers: [{ name: 'injected' }, { name: 'a', image: '1', args: ['x'], pullPolicy: 'Always' }, { name: 'old' }],
    },
    status: {},
  }
  assert.deepEqual(threeWayMerge<object>(original, target, live), {
    spec: {
      ...{ replicas: 2, own: 1, list: ['a'] },
      containers: [{ name: 'injected' }, { name: 'a', image: '2', pullPolicy: 'Always' }, { name: 'new' }],
    },
    status: {},
  })
})

test('HR-152 objects are deleted in their own order: webhooks first, prerequisites last, then unknown kinds by name', () => {
  const kinds = ['Zebra', 'Namespace', 'Secret', 'Deployment', 'Service', 'Ant', 'ValidatingWebhookConfiguration']
  const sorted = sortByKind(
    kinds.map(kind => ({ kind })),
    uninstallOrder,
  ).map(({ kind }) => kind)
  assert.deepEqual(sorted, [
    'ValidatingWebhookConfiguration',
    'Service',
    'Deployment',
    'Secret',
    'Namespace',
    'Ant',
    'Zebra',
  ])
  // Helm knows the same kinds in both directions; Services go before what they lead to, and so are no mirror of the install order.
  assert.deepEqual([...uninstallOrder].sort(), [...installOrder].sort())
})
