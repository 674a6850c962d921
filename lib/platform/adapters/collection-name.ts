import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Collection } from '../ports/objects.ts'

/** `Kind.group`, as in CRD names; a kind has no dot. */
export const collectionOf = ({ group, kind }: Collection): string => `${kind}.${group}`

/** The inverse of `collectionOf`, with the namespace and name of an object. */
export const refIn = (collection: string, namespace: string, name: string): ObjectRef => {
  const dot = collection.indexOf('.')
  return { group: collection.slice(dot + 1), kind: collection.slice(0, dot), namespace, name }
}
