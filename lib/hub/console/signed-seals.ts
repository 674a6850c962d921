/** Seals with a signature, so that what stands before the hub sees who may come without being able to open them. */
import { CompactSign, compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'
import type { Clock } from '../../platform/ports/clock.ts'
import { signingAlgorithm } from '../apiserver/identity/signing-algorithm.ts'
import type { SigningKey } from '../apiserver/identity/signing-key.ts'
import type { Seals } from './seals.ts'

export interface SigningPorts {
  readonly seals: Seals
  readonly key: () => Promise<SigningKey>
  readonly clock: Pick<Clock, 'now'>
}

/** Tokens of ServiceAccounts are signed with the same key, and have another type. */
const type = 'keelson-seal'

interface Header {
  readonly typ?: string
  /** Seconds since the epoch. */
  readonly exp?: number
}

/** A sealed text becomes the payload of a JWS. Opening needs no signature, as the seal is authentic by itself. */
export const signedSeals = ({ seals, key, clock }: SigningPorts): Seals => ({
  seal: async (value, context, validMs) => {
    const sealed = await seals.seal(value, context, validMs)
    const { id, privateKey } = await key()
    const exp = Math.ceil((clock.now() + validMs) / 1000)
    return new CompactSign(Buffer.from(sealed, 'base64url'))
      .setProtectedHeader({ alg: signingAlgorithm, kid: id, typ: type, exp })
      .sign(privateKey)
  },
  open: (text, context) => seals.open(text.split('.')[1] ?? '', context),
})

/** Whether this hub has signed a seal that is still valid. */
export const isSignedSeal = async (text: string, keySet: JSONWebKeySet, now: number): Promise<boolean> => {
  try {
    const { protectedHeader } = await compactVerify(text, createLocalJWKSet(keySet), { algorithms: [signingAlgorithm] })
    const { typ, exp = 0 } = protectedHeader as Header
    return typ === type && exp * 1000 > now
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}
