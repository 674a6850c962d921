import type { Kind } from '../../../foundations/kinds/kind.ts'
import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import type { Log } from '../../../platform/ports/log.ts'
import { type ObjectStore, StoreError } from '../../../platform/ports/objects.ts'

/** What an index knows of one kind. */
export interface Snapshot<T> {
  /** The resourceVersion that it shows: what has changed since is read from the log of changes. */
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly storedAt: number
  readonly objects: readonly (readonly [namespace: string, name: string, object: T])[]
}

/** Keeps indexes for processes that begin later. */
export interface StoredIndex<T> {
  /** Undefined if there is no snapshot, or if it is damaged or of another format: then all objects must be read. */
  load(kind: Kind): Promise<Snapshot<T> | undefined>
  /** Replaces the stored snapshot, unless another process does so at the same time. */
  store(kind: Kind, snapshot: Snapshot<T>): Promise<void>
}

interface StoredIndexPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly log: Log
}

/** So long that its changes are still in the log. It is also how soon a damaged one, which can't be updated, makes room for another. */
const validMs = 24 * 60 * 60_000

/**
 * Snapshots in records that are not objects of the API, so that only the hub reads and writes them. They are in the store whose versions they refer to:
 * a table that was restored has a snapshot of its own past, and not one of changes that it no longer knows.
 * `format` identifies what is kept of an object: what was stored with another one is ignored.
 */
export const storedIndex = <T>({ objects, log }: StoredIndexPorts, format: readonly unknown[]): StoredIndex<T> => {
  const digest = sha256Hex(JSON.stringify(format))

  return {
    load: async kind => {
      try {
        const stored = await objects.get(refOf(kind))
        if (!stored) return undefined
        const { format: its, ...snapshot } = JSON.parse(stored.body) as Snapshot<T> & { readonly format: string }
        return its === digest ? snapshot : undefined
      } catch (error) {
        log.error('failed to read the stored index of a kind: reading all of its objects', { kind: kind.kind, error })
        return undefined
      }
    },

    store: async (kind, snapshot) => {
      const body = JSON.stringify({ format: digest, ...snapshot })
      const record = { ref: refOf(kind), body, refersTo: [], expires: snapshot.storedAt + validMs }
      const known = await objects.get(record.ref).catch(() => undefined)
      try {
        await objects.commit(known ? { op: 'update', ...record, expect: known.version } : { op: 'create', ...record })
      } catch (error) {
        if (!(error instanceof StoreError && ['exists', 'conflict'].includes(error.code))) throw error
      }
    },
  }
}

const refOf = ({ group, kind }: Kind) => ({
  group: 'fleet.keelson.dev',
  kind: 'StoredIndex',
  namespace: '',
  name: `${kind}.${group}`,
})
