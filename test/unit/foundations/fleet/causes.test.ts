/** Failures of a fleet are folded by what has to be mended. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causesOf } from '../../../../lib/foundations/fleet/causes.ts'
import { fleetOf } from '../../../../lib/foundations/fleet/fleet-clusters.ts'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { clusterOf, condition, failed, objectOf, ready, unitOn, unreachable } from './fleet-parts.ts'

interface Given {
  readonly clusters?: readonly Cluster[]
  readonly units?: readonly KubernetesObject[]
  readonly sources?: readonly KubernetesObject[]
}

const causes = ({ clusters = [], units = [], sources = [] }: Given) =>
  causesOf({ fleet: fleetOf({ clusters, units, namespaces: [] }), sources })

const shown = (given: Given) =>
  causes(given).map(({ severity, object, reason, units }) => [severity, object, reason, units])

const names = (...of: readonly string[]) => of.map(name => `Kustomization/apps/${name}`)
const b = 'https://b.example.com:6443'

test('a fleet in which nothing fails has no causes', () => {
  assert.deepEqual(
    causes({ clusters: [clusterOf('a')], units: [unitOn('a', 'web')], sources: [objectOf('GitRepository', 'app')] }),
    [],
  )
})

test('a dead cluster is one cause, which holds up all that apply there', () => {
  const units = [
    unitOn('b', 'one', { conditions: [unreachable(b)] }),
    unitOn('b', 'two', { conditions: [unreachable(b)] }),
    unitOn('b', 'not-yet-tried'),
    unitOn('b', 'paused', { spec: { suspend: true } }),
    unitOn('a', 'well'),
  ]
  const lost = clusterOf('b', {
    conditions: [failed('ClusterUnreachable', 'connection refused')],
    status: { server: b },
  })
  const expected = [['error', 'Cluster/apps/b', 'ClusterUnreachable', names('one', 'two', 'not-yet-tried')]]
  assert.deepEqual(shown({ clusters: [clusterOf('a'), lost], units }), expected)
})

test('a dead cluster without a Cluster, or with one that was not probed since, is one cause for all who refer to it', () => {
  const units = [
    unitOn('b', 'one', { conditions: [unreachable(b)] }),
    unitOn('of-another-team', 'two', { conditions: [unreachable(b)] }),
  ]
  assert.deepEqual(shown({ units }), [['error', 'Secret/apps/b', 'ClusterUnreachable', names('one', 'two')]])
  const unprobed = clusterOf('of-another-team', { status: { server: b } })
  assert.deepEqual(shown({ clusters: [unprobed], units }), [
    ['error', 'Cluster/apps/of-another-team', 'ClusterUnreachable', names('two', 'one')],
  ])
})

test('a release says of a dead cluster what its request failed with', () => {
  const message = `Get "${b}/api/v1/namespaces": dial tcp 10.0.0.1:6443: connect: connection refused`
  const release = objectOf('HelmRelease', 'db', {
    spec: { kubeConfig: { secretRef: { name: 'b' } } },
    conditions: [failed('InstallFailed', message)],
  })
  const units = [unitOn('b', 'web', { conditions: [unreachable(b)] }), release]
  assert.deepEqual(shown({ units }), [
    ['error', 'Secret/apps/b', 'ClusterUnreachable', ['Kustomization/apps/web', 'HelmRelease/apps/db']],
  ])
})

test('a refused credential is one cause; what fails before the cluster is reached is another', () => {
  const units = [
    unitOn('a', 'refused', { conditions: [failed('ReconciliationFailed', 'Unauthorized')] }),
    unitOn('a', 'broken', { conditions: [failed('BuildFailed', 'accumulating resources: no such file')] }),
  ]
  const clusters = [clusterOf('a', { conditions: [failed('Unauthorized', 'the cluster refuses the token')] })]
  assert.deepEqual(shown({ clusters, units }), [
    ['error', 'Cluster/apps/a', 'Unauthorized', names('refused')],
    ['error', 'Kustomization/apps/broken', 'BuildFailed', names('broken')],
  ])
})

test('a manifest that breaks on many clusters is one cause; durations in its message differ', () => {
  const broken = (secret: string, seconds: number) =>
    unitOn(secret, `web-${secret}`, {
      conditions: [failed('HealthCheckFailed', `timeout waiting for: [Deployment/web] after ${seconds}s`)],
    })
  const units = [
    broken('a', 30),
    broken('b', 31),
    unitOn('c', 'other', { conditions: [failed('HealthCheckFailed', 'something else')] }),
  ]
  assert.deepEqual(shown({ units }), [
    ['error', 'Kustomization/apps/web-a', 'HealthCheckFailed', names('web-a', 'web-b')],
    ['error', 'Kustomization/apps/other', 'HealthCheckFailed', names('other')],
  ])
})

test('a source that fails is one cause, with all that use it, those that wait and those that go on with what they have', () => {
  const sources = [
    objectOf('GitRepository', 'app', { conditions: [failed('GitOperationFailed', 'authentication required')] }),
  ]
  const waiting = failed('ArtifactFailed', 'Source artifact not found, retrying in 30s')
  const units = [unitOn('a', 'new', { conditions: [waiting] }), unitOn('a', 'old')]
  assert.deepEqual(shown({ units, sources }), [
    ['error', 'GitRepository/apps/app', 'GitOperationFailed', names('new', 'old')],
  ])
  assert.deepEqual(shown({ sources }), [['error', 'GitRepository/apps/app', 'GitOperationFailed', []]])
})

test('what waits for a failing dependency, a chart or a repository counts for what fails in the end', () => {
  const waits = failed('DependencyNotReady', 'Dependencies do not meet ready condition, retrying in 30s')
  const sources = [
    objectOf('HelmRepository', 'charts', { conditions: [failed('IndexationFailed', '404')] }),
    objectOf('HelmChart', 'apps-db', {
      spec: { sourceRef: { kind: 'HelmRepository', name: 'charts' } },
      conditions: [failed('NoSourceArtifact', 'no artifact available for HelmRepository source, retrying in 10s')],
    }),
  ]
  const db = objectOf('HelmRelease', 'db', {
    status: { helmChart: 'apps/apps-db' },
    conditions: [failed('SourceNotReady', "HelmChart 'apps/apps-db' is not ready")],
  })
  const units = [
    db,
    objectOf('HelmRelease', 'web', { spec: { dependsOn: [{ name: 'db' }] }, conditions: [waits] }),
    unitOn('a', 'broken', { conditions: [failed('BuildFailed', 'no')] }),
    unitOn('a', 'behind', { spec: { dependsOn: [{ name: 'broken' }] }, conditions: [waits] }),
  ]
  assert.deepEqual(shown({ units, sources }), [
    ['error', 'HelmRepository/apps/charts', 'IndexationFailed', ['HelmRelease/apps/db', 'HelmRelease/apps/web']],
    ['error', 'Kustomization/apps/broken', 'BuildFailed', names('broken', 'behind')],
  ])
})

test('objects that wait for each other, or for what is under way, are no failure', () => {
  const waits = failed('DependencyNotReady', 'Dependencies do not meet ready condition, retrying in 30s')
  const units = [
    unitOn('a', 'one', { spec: { dependsOn: [{ name: 'two' }] }, conditions: [waits] }),
    unitOn('a', 'two', { spec: { dependsOn: [{ name: 'one' }] }, conditions: [waits] }),
    unitOn('a', 'new', { conditions: [] }),
  ]
  assert.deepEqual(shown({ units }), [])
})

test('a credential that expires soon is a warning, which comes last and says what it would stop', () => {
  const expires = condition(
    'CredentialsValid',
    'True',
    'ExpiresSoon',
    'the token expires at 2026-11-28T14:00:00Z: replace it',
  )
  const units = [unitOn('c', 'web'), unitOn('a', 'broken', { conditions: [failed('BuildFailed', 'no')] })]
  assert.deepEqual(shown({ clusters: [clusterOf('c', { conditions: [ready, expires] })], units }), [
    ['error', 'Kustomization/apps/broken', 'BuildFailed', names('broken')],
    ['warning', 'Cluster/apps/c', 'ExpiresSoon', names('web')],
  ])
})

test('checks of a control plane that fail are a warning', () => {
  const unhealthy = condition('ControlPlaneHealthy', 'False', 'ChecksFailed', '/readyz fails: etcd')
  const units = [unitOn('c', 'web')]
  assert.deepEqual(shown({ clusters: [clusterOf('c', { conditions: [ready, unhealthy] })], units }), [
    ['warning', 'Cluster/apps/c', 'ChecksFailed', names('web')],
  ])
})

test('the cause that holds up most comes first, with the clusters it is felt on', () => {
  const bad = (secret: string, name: string, message: string) =>
    unitOn(secret, name, { conditions: [failed('BuildFailed', message)] })
  const found = causes({ units: [bad('a', 'few', 'x'), bad('a', 'many', 'y'), bad('b', 'more', 'y')] })
  assert.deepEqual(
    found.map(({ units, clusters, since }) => [units.length, clusters, since]),
    [
      [2, ['Secret/apps/a', 'Secret/apps/b'], '2026-11-27T14:00:00Z'],
      [1, ['Secret/apps/a'], '2026-11-27T14:00:00Z'],
    ],
  )
})
