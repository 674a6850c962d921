import type { Receiver } from '../kinds/receiver.ts'
import { type ObjectStore, StoreError } from '../ports/objects.ts'
import type { Random } from '../ports/random.ts'
import { webhookPathOf } from './webhook-path.ts'

/**
 * The random part of the path of a Receiver without a token (generic-oidc), so that nobody can compute the path from name and
 * namespace. It is a record of no API kind under the Receiver's UID: only the hub writes it, and a new Receiver of the same name
 * gets another one.
 */
export interface PathSalts {
  /** Empty for a Receiver with a token, and for one that has no salt yet. */
  read(receiver: Receiver): Promise<string>
  /**
   * The salt, made on the first call. A Receiver that listens at notification-controller's path already keeps it: its salt is
   * empty.
   */
  ensure(receiver: Receiver): Promise<string>
  /** Once the Receiver is gone. */
  forget(receiver: Receiver): Promise<void>
}

export const pathSalts = (objects: Pick<ObjectStore, 'get' | 'commit'>, random: Pick<Random, 'uuid'>): PathSalts => {
  const find = async (receiver: Receiver): Promise<string | undefined> => {
    const record = await objects.get(placeOf(receiver))
    return record && (JSON.parse(record.body) as { readonly salt: string }).salt
  }
  const create = async (receiver: Receiver): Promise<string> => {
    const salt = receiver.status?.webhookPath === webhookPathOf(receiver, '') ? '' : random.uuid()
    try {
      await objects.commit({ op: 'create', ref: placeOf(receiver), body: JSON.stringify({ salt }), refersTo: [] })
      return salt
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'exists')) throw error
      return (await find(receiver)) ?? ''
    }
  }
  return {
    read: async receiver => (receiver.spec.secretRef ? '' : ((await find(receiver)) ?? '')),
    ensure: async receiver => (receiver.spec.secretRef ? '' : ((await find(receiver)) ?? create(receiver))),
    async forget(receiver) {
      const ref = placeOf(receiver)
      const known = await objects.get(ref)
      if (known) await objects.commit({ op: 'delete', ref, expect: known.version, body: known.body })
    },
  }
}

const placeOf = ({ metadata }: Receiver) => ({
  group: 'webhook.keelson.dev',
  kind: 'PathSalt',
  namespace: metadata.namespace ?? '',
  name: metadata.uid ?? '',
})
