import type { KeyObject } from 'node:crypto'
import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync } from 'node:crypto'
import { refKey } from '../../../foundations/kinds/object.ts'
import type { KeyScope, Keys } from '../../../platform/ports/keys.ts'
import type { ObjectStore } from '../../../platform/ports/objects.ts'
import { StoreError } from '../../../platform/ports/objects.ts'

/** The key that signs the tokens of a hub's ServiceAccounts. */
export interface SigningKey {
  /** RFC 7638 thumbprint, the key ID in tokens. */
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export interface SigningKeyPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly keys: Keys
}

/** Not a kind of the API: no role grants access to it. */
const ref = { group: 'keelson.dev', kind: 'SigningKey', namespace: '', name: 'service-accounts' }
const scope: KeyScope = { purpose: 'signing-key' }

/** The key in this hub's store, encrypted there, created on first use; read once per process. */
export const signingKey = ({ objects, keys }: SigningKeyPorts): (() => Promise<SigningKey>) => {
  let known: Promise<SigningKey> | undefined

  const stored = async (): Promise<SigningKey | undefined> => {
    const record = await objects.get(ref)
    return record && keyOf(Buffer.from(await keys.open(Buffer.from(record.body, 'base64'), refKey(ref), scope)))
  }

  const made = async (): Promise<SigningKey> => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const plain = privateKey.export({ type: 'pkcs8', format: 'der' })
    const body = Buffer.from(await keys.seal(plain, refKey(ref), scope)).toString('base64')
    await objects.commit({ op: 'create', ref, body, refersTo: [] })
    return keyOf(plain)
  }

  const find = async (): Promise<SigningKey> => {
    const found = await stored()
    if (found) return found
    try {
      return await made()
    } catch (error) {
      // Another process created it first: use that key.
      if (error instanceof StoreError && error.code === 'exists') return (await stored())!
      throw error
    }
  }

  return () => {
    known ??= find().catch(error => {
      known = undefined
      throw error
    })
    return known
  }
}

const keyOf = async (pkcs8: Buffer): Promise<SigningKey> => {
  const privateKey = createPrivateKey({ key: pkcs8, type: 'pkcs8', format: 'der' })
  const publicKey = createPublicKey(privateKey)
  const { thumbprintOf } = await import('./account-jwt.ts')
  return { id: await thumbprintOf(publicKey), privateKey, publicKey }
}

/** A secret of the hub for one use, which reveals neither the key nor secrets for other uses. */
export const secretFor = (use: string, key: () => Promise<SigningKey>): (() => Promise<Uint8Array>) => {
  let known: Promise<Uint8Array> | undefined
  const derived = async () => {
    const { privateKey } = await key()
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
    return new Uint8Array(hkdfSync('sha256', pkcs8, '', `keelson ${use}`, 32))
  }
  return () => {
    known ??= derived().catch(error => {
      known = undefined
      throw error
    })
    return known
  }
}
