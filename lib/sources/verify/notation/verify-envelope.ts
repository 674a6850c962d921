import { InvalidDer } from '../../../foundations/der/read-der.ts'
import { NotVerified } from '../not-verified.ts'
import type { Revocation } from '../revocation/revocation.ts'
import { type Certificate, isValidAt } from '../x509/certificate.ts'
import { requireChain } from '../x509/require-chain.ts'
import { isSubsetOf, subjectOf } from './distinguished-name.ts'
import type { Envelope } from './envelope.ts'
import { requireTimestamp } from './timestamp.ts'
import { type Action, type Check, subjectsIn, type TrustPolicy } from './trust-policy.ts'

export interface VerificationContext {
  readonly policy: TrustPolicy
  readonly enforcement: Readonly<Record<Check, Action>>
  /** All certificates of the Secret, whatever the names of the trust stores are, as in Flux. */
  readonly trusted: readonly Certificate[]
  readonly now: Date
  readonly revocation: Revocation
}

/**
 * Runs the policy's checks, in the order of the Notary Project's specification. Returns false if the signer is not
 * trusted and the policy only logs that. Fails with NotVerified.
 */
export const verifyEnvelope = async (envelope: Envelope, context: VerificationContext): Promise<boolean> => {
  requireIntegrity(envelope)
  const passes = async (check: Check, work: () => void | Promise<void>): Promise<boolean> => {
    const action = context.enforcement[check]
    if (action === 'skip') return true
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof NotVerified) || action === 'enforce') throw error
      return false
    }
  }
  const isTrusted = await passes('authenticity', () => requireTrust(envelope, context))
  await passes('expiry', () => requireUnexpired(envelope, context.now))
  await passes('authenticTimestamp', () => requireTime(envelope, context))
  await passes('revocation', () => requireUnrevoked(envelope, context))
  return isTrusted
}

const payloadType = 'application/vnd.cncf.notary.payload.v1+json'

const requireIntegrity = ({ chain, contentType, signingTime, expiry, plugin, criticalExtensions }: Envelope): void => {
  try {
    requireChain(chain, 'code signing')
  } catch (error) {
    throw error instanceof InvalidDer ? new NotVerified(`certificate-chain is invalid, ${error.message}`, error) : error
  }
  if (contentType !== payloadType) throw new NotVerified(`payload content type "${contentType}" not supported`)
  if (expiry && expiry <= signingTime) throw new NotVerified('expiry cannot be equal or before the signing time')
  if (plugin !== undefined) {
    throw new NotVerified(
      `the signature must be verified by the plugin ${JSON.stringify(plugin)}, and plugins are unsupported`,
    )
  }
  if (criticalExtensions.length > 0) {
    throw new NotVerified(`the signature needs a plugin for "${criticalExtensions[0]}", and plugins are unsupported`)
  }
}

const requireTrust = ({ chain, scheme }: Envelope, { policy, trusted }: VerificationContext): void => {
  const type = scheme === 'notary.x509.signingAuthority' ? 'signingAuthority:' : 'ca:'
  if (!policy.trustStores.some(store => store.startsWith(type))) {
    throw new NotVerified(
      `no trusted certificates are found to verify authenticity: the trust policy "${policy.name}" has no trust store "${type}..."`,
    )
  }
  const isKnown = chain.some(certificate => trusted.some(({ raw }) => raw.equals(certificate.raw)))
  if (!isKnown) throw new NotVerified('the signature is not produced by a trusted signer')
  if (policy.trustedIdentities.includes('*')) return
  const subject = subjectOf(chain[0]!)
  if (subjectsIn(policy.trustedIdentities).some(identity => isSubsetOf(identity, subject))) return
  throw new NotVerified(
    `signing certificate from the digital signature does not match the X.509 trusted identities defined in the trust policy "${policy.name}"`,
  )
}

const requireUnexpired = ({ expiry }: Envelope, now: Date): void => {
  if (expiry && expiry <= now) throw new NotVerified(`digital signature has expired on "${expiry.toUTCString()}"`)
}

/** Requires certificates that were valid at a trusted signing time, or are valid now. */
const requireTime = async (
  envelope: Envelope,
  { policy, trusted, now, revocation }: VerificationContext,
): Promise<void> => {
  const { chain, scheme, signingTime } = envelope
  if (scheme === 'notary.x509.signingAuthority')
    return requireValid(chain, signingTime, 'when the digital signature was produced')
  const isExpired = chain.some(({ to }) => to < now)
  const hasAuthorities = policy.trustStores.some(store => store.startsWith('tsa:'))
  if (hasAuthorities && (policy.verifyTimestamp === 'always' || isExpired)) {
    return requireTimestamp(envelope, { roots: trusted, revocation, now })
  }
  requireValid(chain, now, 'now')
}

const requireValid = (chain: readonly Certificate[], at: Date, when: string): void => {
  const wrong = chain.find(certificate => !isValidAt(certificate, at))
  if (!wrong) return
  const { name, from, to } = wrong
  throw new NotVerified(
    `certificate "${name}" is valid from "${from.toUTCString()}" to "${to.toUTCString()}", not ${when}`,
  )
}

const requireUnrevoked = async (
  { chain, scheme, signingTime }: Envelope,
  { now, revocation }: VerificationContext,
): Promise<void> => {
  const signedAt = scheme === 'notary.x509.signingAuthority' ? signingTime : undefined
  const { status, certificate, reason } = await revocation.statusOf(chain, now, signedAt)
  if (status === 'good') return
  const subject = `signing certificate with subject "${certificate?.name}"`
  throw new NotVerified(
    status === 'revoked' ? `${subject} is revoked` : `${subject} revocation status is unknown: ${reason}`,
  )
}
