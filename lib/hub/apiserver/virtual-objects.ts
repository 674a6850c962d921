import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import { parseFieldSelector } from '../store/field-selector.ts'
import type { Hub, HubListQuery } from '../store/hub.ts'
import { parseLabelSelector } from '../store/label-selector.ts'
import { pageOf } from '../store/listed.ts'

/** Read access to objects that are computed: a few, listed in one page. */
export const virtualObjects = (
  objects: () => Promise<readonly KubernetesObject[]>,
  of: { readonly native?: true } = {},
): Pick<Hub, 'get' | 'list' | 'pages'> => {
  const listed = async <T>({ group, kind, namespace, labelSelector, fieldSelector }: HubListQuery) => {
    const labels = labelSelector ? parseLabelSelector(labelSelector) : () => true
    const fields = fieldSelector && parseFieldSelector(fieldSelector, { group, kind, ...of })
    const items = (await objects()).filter(
      object =>
        object.kind === kind &&
        (namespace === undefined || namespace === object.metadata.namespace) &&
        labels(object.metadata.labels ?? {}) &&
        (!fields || fields.matches(object)),
    )
    return { items: items as unknown as T[], resourceVersion: '1' }
  }
  return {
    get: async <T extends KubernetesObject>(ref: ObjectRef) =>
      (await objects()).find(object => refKey(refOf(object)) === refKey(ref)) as T | undefined,
    list: <T extends KubernetesObject>(query: HubListQuery) => listed<T>(query),
    async *pages<T extends KubernetesObject>(query: HubListQuery) {
      yield pageOf(await listed<T>(query))
    },
  }
}
