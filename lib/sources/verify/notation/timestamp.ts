import { InvalidDer } from '../../../foundations/der/read-der.ts'
import { NotVerified } from '../not-verified.ts'
import type { Revocation } from '../revocation/revocation.ts'
import { type Certificate, purposes } from '../x509/certificate.ts'
import { findChain } from '../x509/find-chain.ts'
import { requireChain } from '../x509/require-chain.ts'
import { readTimestampToken, type TimestampToken } from '../x509/timestamp-token.ts'
import type { Envelope } from './envelope.ts'

interface Trust {
  /** From the policy's trust stores for time-stamping authorities. */
  readonly roots: readonly Certificate[]
  readonly revocation: Revocation
  readonly now: Date
}

/**
 * Requires a timestamp of the signature from a time when all its certificates were valid (Notary Project,
 * trust-store-trust-policy.md, "Steps"). Fails with NotVerified.
 */
export const requireTimestamp = async ({ timestamp, signature, chain }: Envelope, trust: Trust): Promise<void> => {
  if (!timestamp) throw new NotVerified('no timestamp countersignature was found in the signature envelope')
  const token = parse(timestamp)
  if (!token.info.covers(signature)) throw bad('it is for another signature')
  const authority = findAuthority(token, trust.roots)
  const { time, accuracyMs } = token.info
  const [earliest, latest] = [time.getTime() - accuracyMs, time.getTime() + accuracyMs]
  for (const { name, from, to } of chain) {
    if (earliest < from.getTime())
      throw bad(`the timestamp can be before certificate "${name}" is valid, from ${from.toISOString()}`)
    if (latest > to.getTime())
      throw bad(`the timestamp can be after certificate "${name}" has expired, at ${to.toISOString()}`)
  }
  const { status, certificate, reason } = await trust.revocation.statusOf(authority, trust.now)
  if (status === 'good') return
  const subject = `timestamping certificate with subject "${certificate?.name}"`
  throw new NotVerified(
    status === 'revoked' ? `${subject} is revoked` : `${subject} revocation status is unknown: ${reason}`,
  )
}

const bad = (why: string, cause?: unknown): NotVerified =>
  new NotVerified(`failed to verify the timestamp countersignature: ${why}`, cause)

const parse = (token: Uint8Array): TimestampToken => {
  try {
    return readTimestampToken(token)
  } catch (cause) {
    throw bad((cause as Error).message, cause)
  }
}

const findAuthority = ({ signers, certificates, info }: TimestampToken, roots: readonly Certificate[]) => {
  if (signers.length === 0) throw bad('it was not signed by any of its certificates')
  const search = { intermediates: certificates, roots, at: info.time, purpose: purposes.timeStamping }
  for (const signer of signers) {
    const chain = chainOf(signer, search)
    if (chain) return chain
  }
  throw bad('it was not signed by a trusted time-stamping authority')
}

const chainOf = (signer: Certificate, search: Parameters<typeof findChain>[1]): readonly Certificate[] | undefined => {
  try {
    const chain = findChain(signer, search)
    if (chain) requireChain(chain, 'timestamping')
    return chain
  } catch (error) {
    throw error instanceof InvalidDer ? bad(error.message, error) : error
  }
}
