/** Objects made by chance, and what another tool does to them. */
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import { type KubernetesObject, refOf } from '../../lib/foundations/kinds/object.ts'
import type { SeededRandom } from '../e2e/seeded-random.ts'

/** Another tool applies, or patches, some of the same fields or others. */
export const interfere = async (
  target: ClusterClient,
  object: KubernetesObject,
  random: SeededRandom,
  managers: readonly string[] = ['tool-x', 'kube-thing'],
): Promise<void> => {
  const fieldManager = random.pick(managers)
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

export const configMap = (name: string, random: SeededRandom): KubernetesObject =>
  object('v1', 'ConfigMap', name, random, {
    data: Object.fromEntries(some(random, ['a', 'b', 'c.d', 'e-f']).map(key => [key, random.pick(['1', '2', ''])])),
  })

export const service = (name: string, random: SeededRandom): KubernetesObject =>
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

export const deployment = (name: string, random: SeededRandom): KubernetesObject => {
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

export const widget = (name: string, random: SeededRandom): KubernetesObject =>
  object('example.com/v1', 'Widget', name, random, {
    spec: {
      ...(random.below(2) && { atomic: random.pick([[1, 2], [2, 1], []]) }),
      ...(random.below(2) && { set: random.pick([['a', 'b'], ['b', 'a'], ['c']]) }),
      ...(random.below(2) && { keyed: some(random, ['a', 'b', 'c']).map(key => ({ key, value: random.below(2) })) }),
      ...(random.below(2) && { free: random.pick([{ x: { y: [1, null] } }, { x: {} }, { x: { y: 2, z: '' } }]) }),
      ...(random.below(2) && { defaulted: random.pick(['yes', 'no']) }),
    },
  })

/** Of Widgets, which have every type of list. */
export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
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
