import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import type { Collection, StoredObject } from '../../ports/objects.ts'

/** A row of `records`, joined with its head where it is the current state. */
export interface RecordRow {
  readonly version: number
  readonly collection: string
  readonly namespace: string
  readonly name: string
  readonly refers_to: string
  readonly body: string
  readonly due?: number | null
  readonly expires?: number | null
}

/** `Kind.group`, as in CRD names; a kind holds no dot. */
export const collectionOf = ({ group, kind }: Collection): string => `${kind}.${group}`

export function refOfRow({
  collection,
  namespace,
  name,
}: Pick<RecordRow, 'collection' | 'namespace' | 'name'>): ObjectRef {
  const dot = collection.indexOf('.')
  return { group: collection.slice(dot + 1), kind: collection.slice(0, dot), namespace, name }
}

export const storedOf = (row: RecordRow): StoredObject => ({
  ref: refOfRow(row),
  version: String(row.version),
  body: row.body,
  refersTo: JSON.parse(row.refers_to) as string[],
  ...(row.due != null && { due: row.due }),
  ...(row.expires != null && { expires: row.expires }),
})
