import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { hasDrifted } from '../../lib/clusters/apply/drift.ts'
import { isDefinitelyApplied } from '../../lib/clusters/apply/managed-fields.ts'
import { normalize } from '../../lib/clusters/apply/normalize.ts'
import { clusters } from '../../lib/clusters/client/clusters.ts'
import { type KubernetesObject, refOf } from '../../lib/foundations/kinds/object.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'

const bed = await cluster()
const remotes = clusters({ clock: { monotonic: () => performance.now() } })
const target = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'))
after(() => remotes.close())

const ours = { fieldManager: 'kustomize-controller', force: true }
const rounds = 120

test('what managed fields settle, a dry-run confirms: random objects, changed by us and by others', async () => {
  const widgets = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...widgetDefinition }
  await target.apply(widgets, ours)
  await eventually(async () => void (await target.resourceFor('example.com/v1', 'Widget')))

  const told = { unchanged: 0, drifted: 0, doubted: 0 }
  for (let seed = 1; seed <= rounds; seed++) {
    const random = seededRandom(seed)
    const name = `x${seed}`
    const make = random.pick([configMap, service, deployment, widget])
    const first = normalize(make(name, random))
    await target.apply(first, ours)
    if (random.below(2)) await interfere(make(name, random), random)
    const desired = random.below(3) ? first : normalize(make(name, random))

    const { live, dryRun } = await lookAt(desired)
    const isSure = isDefinitelyApplied(desired, live, ours.fieldManager)
    const drifted = hasDrifted(live, dryRun)
    assert.ok(
      !(isSure && drifted),
      `seed ${seed}: taken for unchanged, but a dry-run differs\n${JSON.stringify({ desired, live, dryRun }, null, 1)}`,
    )
    told[isSure ? 'unchanged' : drifted ? 'drifted' : 'doubted']++
  }
  // Doubt is allowed, but must stay the exception: each costs a request at every look.
  assert.ok(
    told.unchanged > rounds / 4 && told.drifted > rounds / 10 && told.doubted < rounds / 4,
    JSON.stringify(told),
  )
})

/** The live object and a dry-run against that very version: controllers write in between. */
const lookAt = async (desired: KubernetesObject) => {
  for (;;) {
    const live = await target.get(desired.apiVersion, refOf(desired))
    const dryRun = await target.apply(desired, { ...ours, dryRun: true })
    const after = await target.get(desired.apiVersion, refOf(desired))
    if (live && live.metadata.resourceVersion === after?.metadata.resourceVersion) return { live, dryRun }
  }
}

/** Another tool applies, or patches, some of the same fields or others. */
const interfere = async (object: KubernetesObject, random: SeededRandom): Promise<void> => {
  const fieldManager = random.pick(['tool-x', 'kube-thing'])
  if (random.below(2)) await target.apply(object, { fieldManager, force: random.below(2) === 1 }).catch(() => undefined)
  else {
    const { apiVersion, kind, metadata, ...patch } = object
    await target.patch(apiVersion, refOf(object), { type: 'merge', patch }, { fieldManager }).catch(() => undefined)
  }
}

const some = <T>(random: SeededRandom, items: readonly T[]): T[] => items.filter(() => random.below(2) === 1)

const object = (apiVersion: string, kind: string, name: string, random: SeededRandom, fields: object) => ({
  apiVersion,
  kind,
  metadata: {
    name,
    namespace: 'default',
    labels: { owner: 'us', ...(random.below(3) === 0 && { extra: random.pick(['1', '2']) }) },
    ...(random.below(4) === 0 && { annotations: { note: random.pick(['a', 'b']) } }),
  },
  ...fields,
})

const configMap = (name: string, random: SeededRandom): KubernetesObject =>
  object('v1', 'ConfigMap', name, random, {
    data: Object.fromEntries(some(random, ['a', 'b', 'c.d', 'e-f']).map(key => [key, random.pick(['1', '2', ''])])),
  })

const service = (name: string, random: SeededRandom): KubernetesObject =>
  object('v1', 'Service', name, random, {
    spec: {
      selector: { app: random.pick(['a', 'b']) },
      ports: [
        { name: 'http', port: 80, ...(random.below(2) && { targetPort: random.pick(['http', 8080]) }) },
        ...some(random, [
          { name: 'metrics', port: 9090 },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ]),
      ],
    },
  })

const deployment = (name: string, random: SeededRandom): KubernetesObject => {
  const container = (container: string) => ({
    name: container,
    image: random.pick(['nginx:1', 'nginx:2']),
    ...(random.below(2) && { args: random.pick([['a', 'b'], ['b', 'a'], []]) }),
    ...(random.below(2) && {
      env: some(random, ['A', 'B', 'C']).map(key => ({ name: key, value: random.pick(['1', '']) })),
    }),
    ...(random.below(2) && { resources: { requests: { cpu: random.pick(['100m', '0.1', '1']) } } }),
    ...(random.below(2) && { ports: [{ containerPort: 80 }, ...some(random, [{ containerPort: 81, name: 'x' }])] }),
  })
  const names = random.pick([['app'], ['app', 'side'], ['side', 'app']])
  return object('apps/v1', 'Deployment', name, random, {
    spec: {
      ...(random.below(2) && { replicas: random.below(3) }),
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: names.map(container),
          ...(random.below(2) && { volumes: [{ name: 'tmp', emptyDir: {} }] }),
        },
      },
    },
  })
}

const widget = (name: string, random: SeededRandom): KubernetesObject =>
  object('example.com/v1', 'Widget', name, random, {
    spec: {
      ...(random.below(2) && { atomic: random.pick([[1, 2], [2, 1], []]) }),
      ...(random.below(2) && { set: random.pick([['a', 'b'], ['b', 'a'], ['c']]) }),
      ...(random.below(2) && { keyed: some(random, ['a', 'b', 'c']).map(key => ({ key, value: random.below(2) })) }),
      ...(random.below(2) && { free: random.pick([{ x: { y: [1, null] } }, { x: {} }, { x: { y: 2, z: '' } }]) }),
      ...(random.below(2) && { defaulted: random.pick(['yes', 'no']) }),
    },
  })

const widgetDefinition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  atomic: { type: 'array', items: { type: 'integer' } },
                  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                  keyed: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['key'],
                    items: {
                      type: 'object',
                      required: ['key'],
                      properties: { key: { type: 'string' }, value: { type: 'integer' } },
                    },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  defaulted: { type: 'string', default: 'yes' },
                },
              },
            },
          },
        },
      },
    ],
  },
}
