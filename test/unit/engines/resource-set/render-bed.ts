import { render } from '../../../../lib/engines/resource-set/render.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { InputSet, ResourceSetSpec } from '../../../../lib/foundations/kinds/resource-set.ts'

export const configMap = (name: string, data: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'apps', ...metadata },
  data,
})

export const objectsOf = (spec: ResourceSetSpec, ...inputs: InputSet[]): readonly KubernetesObject[] =>
  render(spec, inputs).flatMap(({ objects }) => objects)
export const names = (spec: ResourceSetSpec, ...inputs: InputSet[]) =>
  objectsOf(spec, ...inputs).map(o => o.metadata.name)
/** The values that one template of a ConfigMap's data renders to. */
export const values = (data: object, inputs: InputSet) =>
  objectsOf({ resources: [configMap('x', data)] }, inputs)[0]!.data

export const tenants = [{ tenant: 'one' }, { tenant: 'two' }]
