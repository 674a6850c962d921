import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { type ObjectStore, type StoredObject, StoreError } from '../../platform/ports/objects.ts'
import type { Random } from '../../platform/ports/random.ts'
import { webhookPath } from './webhook-path.ts'

/**
 * The random part of a Receiver's path: without it, the path could be computed from the name, the namespace and a
 * guessable token. Stored under the Receiver's UID in a record that is not an API object: only the hub writes it, and a
 * new Receiver with the same name gets another one.
 */
export interface PathSalts {
  /** Empty if the Receiver has no salt yet. */
  read(receiver: Receiver): Promise<string>
  /**
   * Returns the salt, and creates it on the first call. `token` is from the Receiver's Secret, empty if there is none.
   * A Receiver that was migrated from Flux keeps notification-controller's path as long as its token is unchanged: its
   * salt is empty.
   */
  ensure(receiver: Receiver, token: string): Promise<string>
  /** Called after the Receiver was deleted. */
  forget(receiver: Receiver): Promise<void>
}

interface Entry {
  readonly salt: string
  /** The retained path without a salt. */
  readonly path?: string
}

/** Salts in a hub's store. Two writers at once agree on the salt of the first. */
export const pathSalts = (objects: Pick<ObjectStore, 'get' | 'commit'>, random: Pick<Random, 'uuid'>): PathSalts => {
  const find = async (receiver: Receiver): Promise<StoredObject | undefined> => objects.get(recordRef(receiver))

  const write = async (receiver: Receiver, entry: Entry, known: StoredObject | undefined): Promise<string> => {
    const record = { ref: recordRef(receiver), body: JSON.stringify(entry), refersTo: [] }
    try {
      await objects.commit(known ? { op: 'update', ...record, expect: known.version } : { op: 'create', ...record })
      return entry.salt
    } catch (error) {
      if (!(error instanceof StoreError && ['exists', 'conflict'].includes(error.code))) throw error
      const winner = await find(receiver)
      return winner ? entryOf(winner).salt : ''
    }
  }

  return {
    read: async receiver => {
      const known = await find(receiver)
      return known ? entryOf(known).salt : ''
    },
    ensure: async (receiver, token) => {
      const plain = webhookPath(receiver, token)
      const known = await find(receiver)
      const entry = known && entryOf(known)
      if (entry && (entry.salt !== '' || entry.path === plain)) return entry.salt
      const keepsFluxPath = !entry && receiver.status?.webhookPath === plain
      return write(receiver, keepsFluxPath ? { salt: '', path: plain } : { salt: random.uuid() }, known)
    },
    async forget(receiver) {
      const known = await find(receiver)
      if (!known) return
      await objects.commit({ op: 'delete', ref: recordRef(receiver), expect: known.version, body: known.body })
    },
  }
}

const entryOf = ({ body }: StoredObject): Entry => JSON.parse(body)

const recordRef = ({ metadata }: Receiver) => ({
  group: 'webhook.keelson.dev',
  kind: 'PathSalt',
  namespace: metadata.namespace ?? '',
  name: metadata.uid ?? '',
})
