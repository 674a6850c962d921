import { refKey } from '../../foundations/kinds/object.ts'
import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { type KeyScope, type Keys, UnsealFailed } from '../../platform/ports/keys.ts'
import { type ObjectStore, type StoredObject, StoreError } from '../../platform/ports/objects.ts'
import { verificationKeys } from './verify-request.ts'

/**
 * The verification data of a Receiver's Secret, stored with the Receiver and sealed for this purpose only: so the
 * webhook endpoint, which is open to anyone, needs no access to Secrets. The Receiver's reconciler keeps it in sync
 * with the Secret.
 */
export interface ReceiverSecrets {
  /**
   * Empty for a Receiver without a Secret, and before its first pass. Fails with KeysUnavailable if the platform's keys
   * can't be used.
   */
  read(receiver: Receiver): Promise<ReadonlyMap<string, string>>
  /** Writes only if it changed. */
  keep(receiver: Receiver, data: ReadonlyMap<string, Buffer>): Promise<void>
  /** Called after the Receiver, or its Secret, was deleted. */
  forget(receiver: Receiver): Promise<void>
}

interface ReceiverSecretPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly keys: Keys
}

/** The records in a hub's store, sealed with the hub's keys for the Receiver's namespace. */
export const receiverSecrets = ({ objects, keys }: ReceiverSecretPorts): ReceiverSecrets => {
  const find = (receiver: Receiver): Promise<StoredObject | undefined> => objects.get(recordRef(receiver))

  const opened = async ({ ref, body }: StoredObject): Promise<ReadonlyMap<string, string>> => {
    const plain = await keys.open(Buffer.from(body, 'base64'), refKey(ref), scopeOf(ref.namespace))
    return new Map(JSON.parse(Buffer.from(plain).toString()) as [string, string][])
  }

  /** A record that can't be opened any more counts as missing: the next pass writes a new one. */
  const read = async (stored: StoredObject | undefined): Promise<ReadonlyMap<string, string>> => {
    if (!stored) return new Map()
    return opened(stored).catch(error => {
      if (error instanceof UnsealFailed) return new Map()
      throw error
    })
  }

  return {
    read: async receiver => (receiver.spec.secretRef ? read(await find(receiver)) : new Map()),

    keep: async (receiver, data) => {
      const wanted = verificationKeys.flatMap(key => (data.has(key) ? [[key, data.get(key)!.toString()] as const] : []))
      const known = await find(receiver)
      const isUnchanged = JSON.stringify([...(await read(known))]) === JSON.stringify(wanted)
      if (known && isUnchanged) return
      const ref = recordRef(receiver)
      const plain = Buffer.from(JSON.stringify(wanted))
      const sealed = await keys.seal(plain, refKey(ref), scopeOf(ref.namespace))
      const record = { ref, body: Buffer.from(sealed).toString('base64'), refersTo: [] }
      await objects.commit(known ? { op: 'update', ...record, expect: known.version } : { op: 'create', ...record })
    },

    forget: async receiver => {
      const known = await find(receiver)
      if (!known) return
      await objects
        .commit({ op: 'delete', ref: known.ref, expect: known.version, body: known.body })
        .catch(ignoreConflict)
    },
  }
}

const ignoreConflict = (error: unknown): void => {
  if (!(error instanceof StoreError && error.code === 'conflict')) throw error
}

const scopeOf = (namespace: string): KeyScope => ({ purpose: 'receivers', namespace })

/**
 * Not an API object, and stored under the Receiver's UID: only the hub writes it, and a new Receiver with the same name
 * gets another one.
 */
const recordRef = ({ metadata }: Receiver) => ({
  group: 'webhook.keelson.dev',
  kind: 'ReceiverSecret',
  namespace: metadata.namespace ?? '',
  name: metadata.uid ?? '',
})
