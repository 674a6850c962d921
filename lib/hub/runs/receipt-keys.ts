import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { refKey } from '../../foundations/kinds/object.ts'
import { keyIdOf } from '../../foundations/rules/verify-receipt.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { KeyScope, Keys } from '../../platform/ports/keys.ts'
import { type ObjectStore, type StoredObject, StoreError } from '../../platform/ports/objects.ts'

/** A public key that verifies receipts. */
export interface ReceiptKey {
  readonly keyId: string
  /** PEM. */
  readonly publicKey: string
  readonly createdAt: string
}

export interface ReceiptSignature {
  readonly keyId: string
  /** ECDSA over SHA-256, in DER. */
  readonly signature: Buffer
}

/** The keys of a hub for receipts: the newest one signs, and the public halves of all are kept. */
export interface ReceiptKeys {
  sign(content: Uint8Array): Promise<ReceiptSignature>
  /** The newest first. */
  list(): Promise<readonly ReceiptKey[]>
  /** Signs with a new key from now on; other processes within `maxAgeMs`. The private half of the former key is deleted. */
  rotate(): Promise<ReceiptKey>
}

export interface ReceiptKeyPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
}

/** Not a kind of the API: no role grants access to it. */
const ref = { group: 'keelson.dev', kind: 'ReceiptKeys', namespace: '', name: 'receipts' }
const scope: KeyScope = { purpose: 'receipts' }

/** How long a process uses a key without checking that it is the newest, in milliseconds. */
const maxAgeMs = 5 * 60_000

/** What is stored, sealed as a whole: so nobody can add a public key in the store. */
interface Ring {
  readonly keys: readonly ReceiptKey[]
  /** PKCS #8 of the first key, in base64. */
  readonly privateKey: string
}

interface KnownRing {
  readonly ring: Ring
  readonly key: KeyObject
  readonly readAt: number
}

/** The keys in this hub's store: P-256, the first one made when it is needed (docs/decisions/0060-receipts.md). */
export const receiptKeys = ({ objects, keys, clock }: ReceiptKeyPorts): ReceiptKeys => {
  let known: Promise<KnownRing> | undefined

  const opened = async ({ body }: StoredObject): Promise<Ring> =>
    JSON.parse(Buffer.from(await keys.open(Buffer.from(body, 'base64'), refKey(ref), scope)).toString()) as Ring

  /** Adds a key. If another process was faster, its key is used. */
  const renewed = async (record: StoredObject | undefined): Promise<Ring> => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key: ReceiptKey = {
      keyId: keyIdOf(publicKey),
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      createdAt: new Date(clock.now()).toISOString(),
    }
    const ring: Ring = {
      keys: [key, ...(record ? (await opened(record)).keys : [])],
      privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    }
    const body = Buffer.from(await keys.seal(Buffer.from(JSON.stringify(ring)), refKey(ref), scope)).toString('base64')
    const change = { ref, body, refersTo: [] }
    try {
      await objects.commit(record ? { op: 'update', expect: record.version, ...change } : { op: 'create', ...change })
      return ring
    } catch (error) {
      if (!(error instanceof StoreError && (error.code === 'exists' || error.code === 'conflict'))) throw error
      return opened((await objects.get(ref))!)
    }
  }

  const knownAs = (ring: Ring): KnownRing => ({
    ring,
    key: createPrivateKey({ key: Buffer.from(ring.privateKey, 'base64'), type: 'pkcs8', format: 'der' }),
    readAt: clock.now(),
  })

  const remember = (reading: Promise<Ring>): Promise<KnownRing> => {
    const next = reading.then(knownAs)
    known = next
    next.catch(() => {
      if (known === next) known = undefined
    })
    return next
  }

  const read = async (): Promise<Ring> => {
    const record = await objects.get(ref)
    return record ? opened(record) : renewed(undefined)
  }

  return {
    sign: async content => {
      const before = await known
      const isFresh = before && clock.now() - before.readAt < maxAgeMs
      const { ring, key } = isFresh ? before : await remember(read())
      return { keyId: ring.keys[0]!.keyId, signature: sign('sha256', content, key) }
    },
    list: async () => (await remember(read())).ring.keys,
    rotate: async () => (await remember(objects.get(ref).then(renewed))).ring.keys[0]!,
  }
}
