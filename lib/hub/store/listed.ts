import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { HubList, HubPage, Listed } from './hub.ts'

/** A parsed object as a list item. */
export const listed = <T extends KubernetesObject>(object: T): Listed<T> => ({
  object,
  get json() {
    return JSON.stringify(object)
  },
})

/** A list as a page of items whose JSON is written when it is read. */
export const pageOf = <T extends KubernetesObject>({ items, ...more }: HubList<T>): HubPage<T> => ({
  items: items.map(listed),
  ...more,
})
