import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApplyAllOptions, applyAll } from '../../lib/apply/apply-all.ts'
import { ApplyError } from '../../lib/apply/apply-error.ts'
import { type ChangeSet, describeChange } from '../../lib/apply/change-set.ts'
import { checkHealth, describeHealth } from '../../lib/apply/health.ts'
import { describePruneFailures, notYetGone, prune } from '../../lib/apply/prune.ts'
import type { ClusterClient } from '../../lib/cluster/client.ts'
import { clusters } from '../../lib/cluster/clusters.ts'
import { type KubernetesObject, refOf } from '../../lib/kinds/object.ts'
import { inventoryEntry } from '../../lib/rules/inventory.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'

/** Ten times slower than time: a busy machine takes longer to establish definitions than the engine has patience. */
const clock = {
  now: () => Date.now() / 10,
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal }),
}
const owner = { group: 'kustomize.toolkit.fluxcd.io', namespace: 'flux-system', name: 'app' }
const labels = { 'kustomize.toolkit.fluxcd.io/name': 'app', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' }
const ssa = (policy: string) => ({ annotations: { 'kustomize.toolkit.fluxcd.io/ssa': policy } })

const bed = await cluster()
const remotes = clusters({ clock })
const target = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'))
after(() => remotes.close())

let count = 0
/** A namespace of the test's own, with ways to make objects in it. */
const world = async () => {
  const namespace = `apply-${++count}`
  await bed.kubectl('create', 'namespace', namespace)
  const object = (apiVersion: string, kind: string, name: string, fields: object = {}, metadata: object = {}) => ({
    apiVersion,
    kind,
    metadata: { name, namespace, ...metadata },
    ...fields,
  })
  return {
    namespace,
    object,
    configMap: (name: string, data: object = { key: 'value' }, metadata: object = {}, fields: object = {}) =>
      object('v1', 'ConfigMap', name, { data, ...fields }, metadata),
    live: async (kind: string, name: string) =>
      bed.get<KubernetesObject>('-n', namespace, '--show-managed-fields', kind, name),
    patch: (kind: string, name: string, patch: object, manager: string) =>
      bed.kubectl(
        '-n',
        namespace,
        'patch',
        kind,
        name,
        '--type=merge',
        `--field-manager=${manager}`,
        '-p',
        JSON.stringify(patch),
      ),
  }
}

/** Applies as a Kustomization does whose inventory holds all these objects. */
const apply = async (objects: readonly KubernetesObject[], options: Partial<ApplyAllOptions> = {}) => {
  const recorded = new Set(objects.map(object => inventoryEntry(object).id))
  const { changes, waitingFor } = await applyAll(target, objects, {
    fieldManager: 'kustomize-controller',
    owner,
    recorded,
    clock,
    ...options,
  })
  assert.deepEqual(waitingFor, [])
  return told(changes)
}
const told = (changes: ChangeSet) => changes.map(describeChange)

const managers = ({ metadata }: KubernetesObject) =>
  metadata.managedFields
    ?.map(({ manager, operation, subresource }) => [manager, operation, subresource].filter(Boolean).join('/'))
    .sort()

test('KS-272, KS-276 creates objects with owner labels, under one field manager', async () => {
  const { configMap, live, namespace } = await world()
  assert.deepEqual(await apply([configMap('b'), configMap('a')]), [
    `ConfigMap/${namespace}/a created`,
    `ConfigMap/${namespace}/b created`,
  ])
  const a = await live('configmap', 'a')
  assert.deepEqual([a.data, a.metadata.labels, managers(a)], [{ key: 'value' }, labels, ['kustomize-controller/Apply']])
})

test('writes nothing, and needs one list per kind, when nothing has changed', async () => {
  const { configMap, object, live } = await world()
  const objects = [
    configMap('a'),
    configMap('b'),
    object('v1', 'Secret', 's', { stringData: { k: 'hidden' } }),
    object('v1', 'Secret', 't', { data: { k: 'aGlk\nZGVu' } }),
    deployment(object, 'web'),
    deployment(object, 'api'),
  ]
  await apply(objects, { recorded: new Set() })
  const before = await live('deployment', 'web')
  const { requests, counted } = counting(target)
  const { changes } = await applyAll(counted, objects, {
    fieldManager: 'kustomize-controller',
    owner,
    recorded: new Set(objects.map(object => inventoryEntry(object).id)),
    clock,
  })
  assert.deepEqual(new Set(changes.map(({ action }) => action)), new Set(['unchanged']))
  assert.deepEqual(requests, { list: 3 })
  assert.deepEqual((await live('deployment', 'web')).spec, before.spec)
})

test('KS-277, KS-289 reverts what others changed and removes what left the manifest', async () => {
  const { configMap, live, patch, namespace } = await world()
  await apply([configMap('a', { key: 'value', old: 'x' }), configMap('b')])
  await patch('configmap', 'a', { data: { key: 'drifted', extra: 'theirs' } }, 'tool-x')
  assert.deepEqual(await apply([configMap('a'), configMap('b')]), [
    `ConfigMap/${namespace}/a configured`,
    `ConfigMap/${namespace}/b unchanged`,
  ])
  const a = await live('configmap', 'a')
  assert.deepEqual(
    [a.data, managers(a)],
    [{ key: 'value', extra: 'theirs' }, ['kustomize-controller/Apply', 'tool-x/Update']],
  )
})

test('recreates what was deleted by hand, owner labels that were removed, objects of the same name that are not ours', async () => {
  const { configMap, namespace } = await world()
  await apply(['a', 'b', 'c'].map(name => configMap(name)))
  await bed.kubectl('-n', namespace, 'delete', 'configmap', 'a')
  await bed.kubectl('-n', namespace, 'label', 'configmap', 'b', 'kustomize.toolkit.fluxcd.io/name-')
  await bed.kubectl('-n', namespace, 'create', 'configmap', 'd', '--from-literal=key=theirs')
  assert.deepEqual(await apply(['a', 'b', 'c', 'd'].map(name => configMap(name))), [
    `ConfigMap/${namespace}/a created`,
    `ConfigMap/${namespace}/b configured`,
    `ConfigMap/${namespace}/c unchanged`,
    `ConfigMap/${namespace}/d configured`,
  ])
})

test('KS-286 takes over from kubectl what it had set, and leaves other appliers their fields', async () => {
  const { configMap, live, namespace, object } = await world()
  const theirs = (name: string) => JSON.stringify(object('v1', 'ConfigMap', name, { data: { key: 'old', extra: 'x' } }))
  await bed.apply(theirs('a'))
  await bed.kubectl('-n', namespace, 'create', 'configmap', 'e', '--from-literal=extra=x')
  await target.apply(JSON.parse(theirs('b')), { fieldManager: 'kubectl', force: true })
  await target.apply(JSON.parse(theirs('c')), { fieldManager: 'tool-x', force: true })
  const objects = ['a', 'b', 'c', 'e'].map(name => configMap(name))
  assert.deepEqual(
    await apply(objects),
    ['a', 'b', 'c', 'e'].map(name => `ConfigMap/${namespace}/${name} configured`),
  )
  const found = await Promise.all(['a', 'b', 'c', 'e'].map(name => live('configmap', name)))
  const ours = ['kustomize-controller/Apply']
  assert.deepEqual(
    found.map(object => [object.data, managers(object), object.metadata.annotations]),
    [
      [{ key: 'value' }, ours, undefined],
      [{ key: 'value' }, ours, undefined],
      [{ key: 'value', extra: 'x' }, [...ours, 'tool-x/Apply'], undefined],
      [{ key: 'value' }, ours, undefined],
    ],
  )
  assert.deepEqual(
    await apply(objects),
    ['a', 'b', 'c', 'e'].map(name => `ConfigMap/${namespace}/${name} unchanged`),
  )
})

test('KS-287 undoes the changes of overridden managers, too', async () => {
  const { configMap, live, patch } = await world()
  await apply([configMap('a')])
  await patch('configmap', 'a', { data: { extra: 'theirs' } }, 'tool-x')
  await apply([configMap('a')], { overriddenManagers: ['tool-x'] })
  assert.deepEqual((await live('configmap', 'a')).data, { key: 'value' })
})

test('KS-279, KS-281, KS-283, KS-284 keeps to the policies of the manifest and of the live object', async () => {
  const { configMap, live, patch, namespace } = await world()
  const objects = (value: string) => [
    configMap('ignored', { key: value }, ssa('Ignore')),
    configMap('merged', { key: value }, ssa('merge')),
    configMap('once', { key: value }, ssa('IfNotPresent')),
    configMap('paused', { key: value }),
  ]
  assert.deepEqual(await apply(objects('1')), [
    `ConfigMap/${namespace}/ignored skipped`,
    `ConfigMap/${namespace}/merged created`,
    `ConfigMap/${namespace}/once created`,
    `ConfigMap/${namespace}/paused created`,
  ])
  await patch('configmap', 'merged', { data: { extra: 'x' } }, 'kubectl-edit')
  await bed.kubectl(
    '-n',
    namespace,
    'annotate',
    'configmap',
    'paused',
    'kustomize.toolkit.fluxcd.io/reconcile=Disabled',
  )
  assert.deepEqual(await apply(objects('2')), [
    `ConfigMap/${namespace}/ignored skipped`,
    `ConfigMap/${namespace}/merged configured`,
    `ConfigMap/${namespace}/once skipped`,
    `ConfigMap/${namespace}/paused skipped`,
  ])
  const data = await Promise.all(['merged', 'once', 'paused'].map(async name => (await live('configmap', name)).data))
  assert.deepEqual(data, [{ key: '2', extra: 'x' }, { key: '1' }, { key: '1' }])
})

test('KS-275 tells every error at once, with the file it came from, and writes nothing then', async () => {
  const { configMap, object, namespace } = await world()
  const objects = [
    configMap('a'),
    configMap('b', { n: 1 }),
    object('v1', 'Service', 'c', { spec: { ports: [{ port: 99999 }] } }),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'lost' } },
    object('example.com/v1', 'Nonsense', 'x'),
  ]
  const error = await apply(objects, { originOf: object => `apps/${object.metadata.name}.yaml` }).catch(error => error)
  assert.ok(error instanceof ApplyError)
  assert.deepEqual(error.message.split('\n'), [
    'ConfigMap/lost namespace not specified: the server could not find the requested resource (from apps/lost.yaml)',
    `ConfigMap/${namespace}/b dry-run failed: failed to create typed patch object (${namespace}/b; /v1, Kind=ConfigMap): .data.n: expected string, got &value.valueUnstructured{Value:1} (from apps/b.yaml)`,
    `Service/${namespace}/c dry-run failed (Invalid): Service "c" is invalid: [spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 99999: must be between 1 and 65535, inclusive] (from apps/c.yaml)`,
    `Nonsense/${namespace}/x dry-run failed: no matches for kind "Nonsense" in version "example.com/v1" (from apps/x.yaml)`,
  ])
  assert.deepEqual(error.changes, [])
  assert.equal(await bed.kubectl('-n', namespace, 'get', 'configmap', 'a', '--ignore-not-found'), '')
})

test('KS-291 an error holds nothing of a Secret', async () => {
  const { object } = await world()
  const error = await apply([object('v1', 'Secret', 's', { stringData: { pin: 84759302 } })]).catch(error => error)
  assert.match(error.message, /\.stringData\.pin: expected string, got .*\*\*\*/)
  assert.doesNotMatch(error.message, /84759302/)
})

test('KS-273, KS-274 applies a namespace, a kind and objects of both in one run', async () => {
  const { namespace } = await world()
  const group = `${namespace}.example.com`
  const objects = [
    {
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name: 'w', namespace: `${namespace}-new` },
      spec: { x: 1 },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: `${namespace}-new` } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${namespace}-new` } },
    definition(group),
  ]
  const subjects = [
    `CustomResourceDefinition/widgets.${group}`,
    `Namespace/${namespace}-new`,
    `ConfigMap/${namespace}-new/a`,
    `Widget/${namespace}-new/w`,
  ]
  assert.deepEqual(
    await apply(objects),
    subjects.map(subject => `${subject} created`),
  )
  assert.deepEqual(
    await apply(objects),
    subjects.map(subject => `${subject} unchanged`),
  )
  // An invalid object in a later stage keeps the earlier ones from being written, too.
  const broken = [definition(`other.${group}`), { ...objects[1]!, data: { n: 1 } }]
  await assert.rejects(apply(broken), /\.data\.n: expected string/)
  assert.equal(await bed.kubectl('get', 'crd', `widgets.other.${group}`, '--ignore-not-found'), '')
})

test('KS-282 a cluster-scoped object that the build put into a namespace is one without, from the first run on', async () => {
  const { namespace } = await world()
  const group = `${namespace}.example.com`
  const crd = definition(group, 'Cluster')
  const widget = (name: string, metadata: object = {}) => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name, namespace, ...metadata },
  })
  const objects = [crd, widget('a'), widget('b'), widget('once', ssa('IfNotPresent'))]
  const told = (a: string, once = a) => [
    `CustomResourceDefinition/widgets.${group} ${a}`,
    `Widget/a ${a}`,
    `Widget/b ${a}`,
    `Widget/once ${once}`,
  ]
  assert.deepEqual(await apply(objects), told('created'))
  assert.deepEqual(await apply(objects), told('unchanged', 'skipped'))
})

test('KS-207..210 recreates an object for a change that is refused as an update, when asked to, and only then', async () => {
  const { configMap, object, live, namespace } = await world()
  const immutable = { immutable: true }
  const forced = { annotations: { 'kustomize.toolkit.fluxcd.io/force': 'enabled' } }
  await apply([configMap('a', { k: '1' }, {}, immutable), configMap('f', { k: '1' }, forced, immutable)])
  const { uid } = (await live('configmap', 'f')).metadata

  const changed = [configMap('a', { k: '2' }, {}, immutable)]
  await assert.rejects(apply(changed), {
    message: `ConfigMap/${namespace}/a dry-run failed (Invalid): ConfigMap "a" is invalid: data: Forbidden: field is immutable when \`immutable\` is set`,
  })
  assert.deepEqual(await apply(changed, { force: true }), [`ConfigMap/${namespace}/a created`])
  assert.deepEqual(await apply([configMap('f', { k: '2' }, forced, immutable)]), [`ConfigMap/${namespace}/f created`])
  assert.notEqual((await live('configmap', 'f')).metadata.uid, uid)

  const service = (port: number, clusterIP?: string) =>
    object('v1', 'Service', 's', { spec: { ports: [{ port }], ...(clusterIP && { clusterIP }) } })
  await apply([service(80)])
  const before = (await live('service', 's')).metadata.uid
  await assert.rejects(apply([service(99999)], { force: true }), /must be between 1 and 65535/)
  await assert.rejects(apply([service(99999, 'None')], { force: true }), /must be between 1 and 65535/)
  assert.deepEqual(await apply([service(81)], { force: true }), [`Service/${namespace}/s configured`])
  assert.equal(
    (await live('service', 's')).metadata.uid,
    before,
    'what would be invalid anyway, or can be updated, stays',
  )
  assert.deepEqual(await apply([service(81, 'None')], { force: true }), [`Service/${namespace}/s created`])
})

test('an object that is to be recreated and does not go is waited for, later', async () => {
  const { configMap, namespace } = await world()
  const held = configMap('a', { k: '1' }, { finalizers: ['example.com/hold'] }, { immutable: true })
  await apply([held])
  const { changes, waitingFor } = await applyAll(target, [{ ...held, data: { k: '2' } }], {
    fieldManager: 'kustomize-controller',
    owner,
    recorded: new Set(),
    clock: { now: impatient(), sleep: async () => {} },
    force: true,
  })
  assert.deepEqual([changes, waitingFor.map(describeHealth)], [[], [`ConfigMap/${namespace}/a status: 'Terminating'`]])
})

test('KS-024, KS-026, KS-031..037 prunes what is ours in reverse order, and nothing else', async () => {
  const { configMap, object, namespace, live } = await world()
  const keep = { annotations: { 'kustomize.toolkit.fluxcd.io/prune': 'Disabled' } }
  const objects = [
    configMap('gone'),
    configMap('kept', {}, keep),
    configMap('moved'),
    configMap('ours'),
    object('v1', 'ServiceAccount', 'sa'),
    deployment(object, 'web'),
  ]
  await apply(objects)
  await bed.kubectl('-n', namespace, 'delete', 'configmap', 'gone')
  await bed.kubectl(
    '-n',
    namespace,
    'label',
    '--overwrite',
    'configmap',
    'moved',
    'kustomize.toolkit.fluxcd.io/name=other',
  )
  const stale = [...objects.map(inventoryEntry), { id: `${namespace}_x_never.example.com_Was`, v: 'v1' }]
  const { changes, failures } = await prune(target, stale, { owner })
  assert.deepEqual(failures, [])
  assert.deepEqual(told(changes), [
    `Was/${namespace}/x deleted`,
    `Deployment/${namespace}/web deleted`,
    `ConfigMap/${namespace}/ours deleted`,
    `ConfigMap/${namespace}/moved skipped`,
    `ConfigMap/${namespace}/kept skipped`,
    `ConfigMap/${namespace}/gone deleted`,
    `ServiceAccount/${namespace}/sa deleted`,
  ])
  await eventually(async () => {
    assert.deepEqual(
      await notYetGone(
        target,
        changes.filter(({ action }) => action === 'deleted'),
      ),
      [],
    )
  })
  assert.ok(await live('configmap', 'moved'))
})

test('finds an object to prune in another version when the one it was applied in is served no more', async () => {
  const { namespace } = await world()
  const group = `${namespace}.example.com`
  const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'w', namespace } }
  await apply([definition(group), widget])
  const { changes } = await prune(target, [{ id: `${namespace}_w_${group}_Widget`, v: 'v1beta1' }], { owner })
  assert.deepEqual(told(changes), [`Widget/${namespace}/w deleted`])
  assert.equal(await target.get(widget.apiVersion, refOf(widget)), undefined)
})

test('KS-034 tells which objects the cluster refused to delete, and deletes the others', async () => {
  const { configMap, namespace } = await world()
  await bed.apply(refuseDeletionOf('b', namespace))
  const objects = [configMap('a'), configMap('b')]
  await apply(objects)
  const entries = objects.map(inventoryEntry)
  const tryDeletion = () => bed.kubectl('-n', namespace, 'delete', 'configmap', 'b', '--dry-run=server')
  await eventually(() => assert.rejects(tryDeletion(), /protected object/), { every: 500 })
  const { changes, failures } = await prune(target, entries, { owner })
  assert.deepEqual(told(changes), [`ConfigMap/${namespace}/a deleted`])
  assert.deepEqual(
    failures.map(({ entry }) => entry),
    [entries[1]],
  )
  assert.equal(
    describePruneFailures(failures),
    `delete failed, errors: ConfigMap/${namespace}/b delete failed: configmaps "b" is forbidden: ValidatingAdmissionPolicy '${namespace}' with binding '${namespace}' denied request: protected object;`,
  )
})

test('KS-093, KS-100 sees how healthy objects are in one look', async () => {
  const { configMap, object, namespace } = await world()
  const held = { annotations: { 'testcluster/hold': 'unready' } }
  const objects = [configMap('a'), deployment(object, 'web'), deployment(object, 'held', held)]
  await apply(objects)
  const unknown = { apiVersion: 'example.com/v1', ref: { group: 'example.com', kind: 'No', namespace, name: 'x' } }
  const missing = { apiVersion: 'v1', ref: { group: '', kind: 'ConfigMap', namespace, name: 'missing' } }
  const targets = [...objects.map(object => ({ apiVersion: object.apiVersion, ref: refOf(object) })), unknown, missing]
  await eventually(async () => {
    const health = await checkHealth(target, targets, { now: Date.now(), owner })
    assert.deepEqual(health.map(describeHealth), [
      `ConfigMap/${namespace}/a status: 'Current'`,
      `Deployment/${namespace}/web status: 'Current'`,
      `Deployment/${namespace}/held status: 'InProgress'`,
      `No/${namespace}/x status: 'Unknown': no matches for kind "No" in version "example.com/v1"`,
      `ConfigMap/${namespace}/missing status: 'NotFound'`,
    ])
  })
})

test('an account with rights in one namespace only applies there, and is told what it may not do', async () => {
  const { configMap, namespace } = await world()
  await bed.kubectl('-n', namespace, 'create', 'serviceaccount', 'tenant')
  await bed.kubectl(
    '-n',
    namespace,
    'create',
    'rolebinding',
    'tenant',
    '--clusterrole=admin',
    `--serviceaccount=${namespace}:tenant`,
  )
  const user = `system:serviceaccount:${namespace}:tenant`
  const tenant = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'), { user })
  const run = (objects: readonly KubernetesObject[]) =>
    applyAll(tenant, objects, {
      fieldManager: 'kustomize-controller',
      owner,
      recorded: new Set(objects.map(object => inventoryEntry(object).id)),
      clock,
    })
  const ours = [configMap('a'), configMap('b')]
  await run(ours)
  assert.deepEqual(
    told((await run(ours)).changes),
    ['a', 'b'].map(name => `ConfigMap/${namespace}/${name} unchanged`),
  )
  const theirs = configMap('c', {}, { namespace: 'default' })
  await assert.rejects(run([...ours, theirs]), {
    message: `ConfigMap/default/c dry-run failed (Forbidden): configmaps "c" is forbidden: User "${user}" cannot patch resource "configmaps" in API group "" in the namespace "default"`,
  })
})

test('more objects than a page holds take two requests each to create and one list to verify', async () => {
  const { configMap } = await world()
  const objects = Array.from({ length: 520 }, (_, index) => configMap(`c${index}`))
  const { requests, counted } = counting(target)
  const options = { fieldManager: 'kustomize-controller', owner, clock }
  const first = await applyAll(counted, objects, { ...options, recorded: new Set() })
  assert.deepEqual([first.changes.length, requests], [520, { apply: 1040 }])
  const recorded = new Set(objects.map(object => inventoryEntry(object).id))
  const second = await applyAll(counted, objects, { ...options, recorded })
  assert.deepEqual(requests, { apply: 1040, list: 1 })
  assert.ok(second.changes.every(({ action }) => action === 'unchanged'))
})

const deployment = (
  object: (apiVersion: string, kind: string, name: string, fields: object) => KubernetesObject,
  name: string,
  podMetadata: object = {},
): KubernetesObject =>
  object('apps/v1', 'Deployment', name, {
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, ...podMetadata },
        spec: {
          containers: [
            {
              name: 'app',
              image: 'nginx:1.25',
              ports: [{ containerPort: 80 }],
              env: [{ name: 'A', value: '1' }],
              resources: { requests: { cpu: '100m', memory: '64Mi' } },
              volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            },
          ],
          volumes: [{ name: 'tmp', emptyDir: {} }],
        },
      },
    },
  })

const definition = (group: string, scope = 'Namespaced'): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope,
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

const refuseDeletionOf = (name: string, namespace: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: namespace },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] },
            ],
          },
          validations: [{ expression: `oldObject.metadata.name != '${name}'`, message: 'protected object' }],
        },
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: namespace },
        spec: {
          policyName: namespace,
          validationActions: ['Deny'],
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
        },
      },
    ],
  })

/** The client, with its requests counted by method. */
const counting = (cluster: ClusterClient) => {
  const requests: Record<string, number> = {}
  const count =
    <A extends unknown[], R>(name: string, method: (...args: A) => R) =>
    (...args: A): R => {
      requests[name] = (requests[name] ?? 0) + 1
      return method(...args)
    }
  const counted: ClusterClient = {
    ...cluster,
    get: count('get', cluster.get),
    list: count('list', cluster.list),
    apply: count('apply', cluster.apply),
    create: count('create', cluster.create),
    patch: count('patch', cluster.patch),
    delete: count('delete', cluster.delete),
  }
  return { requests, counted }
}

/** A clock that runs ten seconds at every look. */
const impatient = () => {
  let now = 0
  return () => (now += 10_000)
}
