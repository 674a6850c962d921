import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDefinitelyApplied } from '../../../../lib/clusters/apply/managed-fields.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const manager = 'kustomize-controller'

const deployment = (fields: object = {}, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'apps', labels: { app: 'web' }, ...metadata },
  spec: {
    replicas: 2,
    template: {
      spec: {
        containers: [
          { name: 'app', image: 'nginx:1', args: ['a', 'b'] },
          { name: 'sidecar', image: 'envoy:1' },
        ],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      },
    },
    ...fields,
  },
})

/** What an API server records when the deployment above is applied. */
const owned = {
  'f:metadata': { 'f:labels': { 'f:app': {} } },
  'f:spec': {
    'f:replicas': {},
    'f:template': {
      'f:spec': {
        'f:containers': {
          'k:{"name":"app"}': { '.': {}, 'f:name': {}, 'f:image': {}, 'f:args': {} },
          'k:{"name":"sidecar"}': { '.': {}, 'f:name': {}, 'f:image': {} },
        },
        'f:volumes': { 'k:{"name":"tmp"}': { '.': {}, 'f:name': {}, 'f:emptyDir': {} } },
      },
    },
  },
}

const managed = (fieldsV1: Record<string, unknown>, more: object = {}) => ({
  manager,
  operation: 'Apply' as const,
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1' as const,
  fieldsV1,
  ...more,
})

/** The deployment as it lives on the cluster: defaults filled in, a status, managed fields. */
const live = (object = deployment(), managedFields: readonly object[] = [managed(owned)]): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, uid: 'u', resourceVersion: '7', managedFields: managedFields as never },
  spec: { ...(object.spec as object), progressDeadlineSeconds: 600 },
  status: { replicas: 2 },
})

test('is sure of an object that was applied as it is and has not been touched since', () => {
  assert.equal(isDefinitelyApplied(deployment(), live(), manager), true)
})

test('is not sure when the manifest has another value, a field more, a field less, or another order', () => {
  const containers = (...containers: object[]) =>
    deployment({ template: { spec: { containers, volumes: [{ name: 'tmp', emptyDir: {} }] } } })
  const app = { name: 'app', image: 'nginx:1', args: ['a', 'b'] }
  const sidecar = { name: 'sidecar', image: 'envoy:1' }
  const changed = {
    value: deployment({ replicas: 3 }),
    more: deployment({ paused: true }),
    less: deployment({ replicas: undefined }),
    label: deployment({}, { labels: { app: 'web', x: 'y' } }),
    annotation: deployment({}, { annotations: { x: 'y' } }),
    item: containers(app, { ...sidecar, image: 'envoy:2' }),
    removedItem: containers(app),
    addedItem: containers(app, sidecar, { name: 'new', image: 'x' }),
    order: containers(sidecar, app),
    args: containers({ ...app, args: ['b', 'a'] }, sidecar),
    version: { ...deployment(), apiVersion: 'apps/v2' },
  }
  for (const [what, desired] of Object.entries(changed))
    assert.equal(isDefinitelyApplied(JSON.parse(JSON.stringify(desired)), live(), manager), false, what)
})

test('is not sure when somebody else has changed, taken or reordered something', () => {
  const { 'f:replicas': _, ...rest } = owned['f:spec']
  const taken = { ...owned, 'f:spec': rest }
  const foreign = (live().spec as { template: { spec: { containers: object[] } } }).template.spec.containers
  const between = [foreign[0], { name: 'theirs', image: 'x' }, foreign[1]]
  const behind = [...foreign, { name: 'theirs', image: 'x' }]
  const withContainers = (containers: unknown[]) =>
    live(deployment({ template: { spec: { containers, volumes: [{ name: 'tmp', emptyDir: {} }] } } }))
  const changed = {
    'value changed by an update': live(deployment({ replicas: 5 }), [managed(taken)]),
    'value changed, and owned still': live(deployment({ replicas: 5 })),
    'field taken over': live(deployment(), [managed(taken)]),
    'owned by another operation': live(deployment(), [managed(owned, { operation: 'Update' })]),
    'owned by another manager': live(deployment(), [managed(owned, { manager: 'tool-x' })]),
    'owned in a subresource': live(deployment(), [managed(owned, { subresource: 'status' })]),
    'recorded for another version': live(deployment(), [managed(owned, { apiVersion: 'apps/v1beta1' })]),
    'no managed fields': live(deployment(), []),
    'an item put between ours': withContainers(between),
  }
  for (const [what, object] of Object.entries(changed))
    assert.equal(isDefinitelyApplied(deployment(), object, manager), false, what)
  assert.equal(
    isDefinitelyApplied(deployment(), withContainers(behind), manager),
    true,
    'an item behind ours is theirs',
  )
})

test('reads sets and atomic values; lists by index and nulls are never sure', () => {
  const object = (spec: object) => ({ apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x' }, spec })
  const sure = (spec: object, liveSpec: object, fields: object) =>
    isDefinitelyApplied(
      object(spec),
      {
        ...object(liveSpec),
        metadata: { name: 'x', managedFields: [managed({ 'f:spec': fields }, { apiVersion: 'a/v1' })] },
      },
      manager,
    )
  const set = { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }
  assert.equal(sure({ set: ['a', 'b'] }, { set: ['a', 'b', 'c'] }, set), true)
  assert.equal(sure({ set: ['b', 'a'] }, { set: ['a', 'b'] }, set), false)
  assert.equal(sure({ set: ['a', 'x'] }, { set: ['a', 'x'] }, set), false)
  const large = { 'f:set': { 'v:99999999999999999999': {} } }
  assert.equal(sure({ set: [99999999999999999999n] }, { set: [1e20] }, large), false)
  assert.equal(sure({ map: { a: [1] } }, { map: { a: [1] } }, { 'f:map': {} }), true)
  assert.equal(sure({ map: { a: [1] } }, { map: { a: [1], b: 2 } }, { 'f:map': {} }), false)
  assert.equal(sure({ list: [1] }, { list: [1] }, { 'f:list': { 'i:0': {} } }), false)
  assert.equal(sure({ a: null }, { a: null }, { 'f:a': {} }), false)
  const keyed = { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:port': {} } } }
  assert.equal(sure({ ports: [{ port: 80 }] }, { ports: [{ port: 80, protocol: 'TCP' }] }, keyed), false)
})
