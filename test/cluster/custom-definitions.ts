/** CustomResourceDefinitions of kinds that Kustomizations apply and wait for. */

export const widgets = (name: string, versions: readonly object[] = [version('v1')]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}s.stage.example.com` },
  spec: {
    group: 'stage.example.com',
    scope: 'Namespaced',
    names: { kind: name[0]!.toUpperCase() + name.slice(1), plural: `${name}s`, singular: name },
    versions,
  },
})

export const version = (name: string, storage = true, properties: object = {}) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties, 'x-kubernetes-preserve-unknown-fields': true },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
})
