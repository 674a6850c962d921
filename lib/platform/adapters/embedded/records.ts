import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import type { StoredObject } from '../../ports/objects.ts'
import { refIn } from '../collection-name.ts'

/** A row of `records`, joined with its head if it is the current state. */
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

/** The object that a row is about. */
export const refOfRow = ({
  collection,
  namespace,
  name,
}: Pick<RecordRow, 'collection' | 'namespace' | 'name'>): ObjectRef => refIn(collection, namespace, name)

/** The object as the port returns it; columns of due time and expiry are null if there is none. */
export const storedOf = (row: RecordRow): StoredObject => ({
  ref: refOfRow(row),
  version: String(row.version),
  body: row.body,
  refersTo: JSON.parse(row.refers_to) as string[],
  ...(row.due != null && { due: row.due }),
  ...(row.expires != null && { expires: row.expires }),
})
