import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'

/** Kept by a real API server with many defaults added. */
export const deployment = (
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

const anyShape = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** The kind Widget, of any shape unless told. */
export const definition = (group: string, scope = 'Namespaced', schema: object = anyShape): KubernetesObject => ({
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
        schema: { openAPIV3Schema: schema },
      },
    ],
  },
})
