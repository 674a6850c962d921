import { refKey } from '../../foundations/kinds/object.ts'
import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { type KeyScope, type Keys, UnsealFailed } from '../../platform/ports/keys.ts'
import { type ObjectStore, type StoredObject, StoreError } from '../../platform/ports/objects.ts'
import { verificationKeys } from './verify-request.ts'

/**
 * What of a Receiver's Secret proves requests, kept beside the Receiver and sealed for this purpose alone: so whoever answers webhooks, which
 * anybody may send, need not be able to open a Secret. The Receiver's reconciler keeps it as the Secret is.
 */
export interface ReceiverSecrets {
  /** Empty for a Receiver without a Secret, and before its first pass. Fails with KeysUnavailable when the platform's keys can't be asked. */
  read(receiver: Receiver): Promise<ReadonlyMap<string, string>>
  /** Writes only what is new. */
  keep(receiver: Receiver, data: ReadonlyMap<string, Buffer>): Promise<void>
  /** Once the Receiver, or its Secret, is gone. */
  forget(receiver: Receiver): Promise<void>
}

interface ReceiverSecretPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly keys: Keys
}

export const receiverSecrets = ({ objects, keys }: ReceiverSecretPorts): ReceiverSecrets => {
  const find = (receiver: Receiver): Promise<StoredObject | undefined> => objects.get(placeOf(receiver))

  const opened = async ({ ref, body }: StoredObject): Promise<ReadonlyMap<string, string>> => {
    const plain = await keys.open(Buffer.from(body, 'base64'), refKey(ref), scopeOf(ref.namespace))
    return new Map(JSON.parse(Buffer.from(plain).toString()) as [string, string][])
  }

  /** One that does not open any more is as good as none: the next pass writes another. */
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
      const isKept = JSON.stringify([...(await read(known))]) === JSON.stringify(wanted)
      if (known && isKept) return
      const ref = placeOf(receiver)
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
        .catch(unlessGoneAlready)
    },
  }
}

const unlessGoneAlready = (error: unknown): void => {
  if (!(error instanceof StoreError && error.code === 'conflict')) throw error
}

const scopeOf = (namespace: string): KeyScope => ({ purpose: 'receivers', namespace })

/** A record of no API kind, under the Receiver's UID: only the hub writes it, and a new Receiver of the same name has another one. */
const placeOf = ({ metadata }: Receiver) => ({
  group: 'webhook.keelson.dev',
  kind: 'ReceiverSecret',
  namespace: metadata.namespace ?? '',
  name: metadata.uid ?? '',
})
