import { signedBytesOf } from '../../foundations/rules/dsse.ts'
import { envelopeIn } from './dsse.ts'
import type { Signatures } from './find-signatures.ts'
import type { TrustedKey } from './public-key.ts'
import { isSimpleSigningOf, isStatementOf } from './signed-digest.ts'

/** Whether one of the keys signed the artifact. As in Flux, transparency logs are not checked. */
export const isSignedByKey = (
  { bundles, attached }: Signatures,
  digest: string,
  keys: readonly TrustedKey[],
): boolean => {
  const bundle = bundles.some(content => {
    const envelope = envelopeIn(content)
    if (!envelope || !isStatementOf(envelope.payload, digest)) return false
    const signed = signedBytesOf(envelope)
    return keys.some(key => envelope.signatures.some(signature => key.hasSigned(signed, signature)))
  })
  return (
    bundle ||
    attached.some(
      ({ payload, signature }) =>
        isSimpleSigningOf(payload, digest) &&
        keys.some(key => key.hasSigned(payload, Buffer.from(signature, 'base64'))),
    )
  )
}
