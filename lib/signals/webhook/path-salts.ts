import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { type ObjectStore, type StoredObject, StoreError } from '../../platform/ports/objects.ts'
import type { Random } from '../../platform/ports/random.ts'
import { webhookPathOf } from './webhook-path.ts'

/**
 * The random part of a Receiver's path, so that nobody can compute the path from its name, its namespace and a token that is easy to
 * guess. It is a record of no API kind under the Receiver's UID: only the hub writes it, and a new Receiver of the same name gets
 * another one.
 */
export interface PathSalts {
  /** Empty for a Receiver that has no salt yet. */
  read(receiver: Receiver): Promise<string>
  /**
   * The salt, made on the first call. `token` is that of the Receiver's Secret, empty where there is none. A Receiver that listens at
   * notification-controller's path, as one that came from Flux, keeps it as long as its token is the same: its salt is empty.
   */
  ensure(receiver: Receiver, token: string): Promise<string>
  /** Once the Receiver is gone. */
  forget(receiver: Receiver): Promise<void>
}

interface Entry {
  readonly salt: string
  /** The path without a salt that is kept. */
  readonly path?: string
}

export const pathSalts = (objects: Pick<ObjectStore, 'get' | 'commit'>, random: Pick<Random, 'uuid'>): PathSalts => {
  const find = async (receiver: Receiver): Promise<StoredObject | undefined> => objects.get(placeOf(receiver))

  const write = async (receiver: Receiver, entry: Entry, known: StoredObject | undefined): Promise<string> => {
    const record = { ref: placeOf(receiver), body: JSON.stringify(entry), refersTo: [] }
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
      const plain = webhookPathOf(receiver, token)
      const known = await find(receiver)
      const entry = known && entryOf(known)
      if (entry && (entry.salt !== '' || entry.path === plain)) return entry.salt
      const isFluxes = !entry && receiver.status?.webhookPath === plain
      return write(receiver, isFluxes ? { salt: '', path: plain } : { salt: random.uuid() }, known)
    },
    async forget(receiver) {
      const known = await find(receiver)
      if (!known) return
      await objects.commit({ op: 'delete', ref: placeOf(receiver), expect: known.version, body: known.body })
    },
  }
}

const entryOf = ({ body }: StoredObject): Entry => JSON.parse(body)

const placeOf = ({ metadata }: Receiver) => ({
  group: 'webhook.keelson.dev',
  kind: 'PathSalt',
  namespace: metadata.namespace ?? '',
  name: metadata.uid ?? '',
})
