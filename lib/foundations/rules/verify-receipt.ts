/** Verifies the receipt of a Run: what the Run says is what the hub has signed. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Run, RunReceipt } from '../kinds/run.ts'
import { inToto, signedBytesOf } from './dsse.ts'
import { canonicalRun, contentOf, type RunStatement, runPredicateType, runSubject } from './run-statement.ts'
import { sha256Hex } from './sha256.ts'

export type Verification =
  | { readonly verified: true; readonly keyId: string; readonly statement: RunStatement }
  /** `isUnsigned`: there is no receipt, which says nothing about the Run. */
  | { readonly verified: false; readonly isUnsigned: boolean; readonly reason: string }

/** The ID of a public key: the first 16 digits of the SHA-256 of its DER (SubjectPublicKeyInfo). */
export const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)

/** The public keys in a text of PEM blocks. Fails if one can't be read. */
export const publicKeysIn = (pem: string): readonly KeyObject[] =>
  (pem.match(/-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g) ?? []).map(block => createPublicKey(block))

/** Whether one of the keys has signed the Run as it is. Metadata other than namespace and name, and the count of repeats, are not signed. */
export const verifyReceipt = (run: Run, keys: readonly KeyObject[]): Verification => {
  const { receipt, finishedAt } = run
  if (!receipt) {
    const reason = finishedAt === undefined ? 'the Run is still in progress: it is signed when it ends' : unsigned
    return { verified: false, isUnsigned: true, reason }
  }
  const payload = bytesOf(receipt.payload)
  if (receipt.payloadType !== inToto || !payload) return refused('its receipt is no in-toto statement')
  const signer = signerOf(receipt, payload, keys)
  if ('reason' in signer) return refused(signer.reason)
  const statement = JSON.parse(payload.toString()) as RunStatement
  const { metadata } = run
  const { run: signed } = statement.predicate
  if (statement.predicateType !== runPredicateType) return refused(`its receipt is of type ${statement.predicateType}`)
  if (signed.namespace !== metadata?.namespace || signed.name !== metadata.name)
    return refused(`its receipt is that of Run ${signed.namespace}/${signed.name}`)
  const digest = statement.subject.find(({ name }) => name === runSubject)?.digest.sha256
  if (digest !== sha256Hex(canonicalRun(contentOf(run))))
    return refused('its content is not what was signed: it was changed afterwards')
  return { verified: true, keyId: signer.keyId, statement }
}

const unsigned = 'the Run has no receipt: it is older than receipts, or the key could not be used when it ended'

const refused = (reason: string): Verification => ({ verified: false, isUnsigned: false, reason })

const signerOf = (
  { payloadType, signatures }: RunReceipt,
  payload: Buffer,
  keys: readonly KeyObject[],
): { readonly keyId: string } | { readonly reason: string } => {
  const [signature] = signatures
  if (!signature || signatures.length > 1) return { reason: 'its receipt must have one signature' }
  const { keyid: keyId, sig } = signature
  const key = keys.find(key => keyIdOf(key) === keyId)
  if (!key) {
    const known = keys.map(keyIdOf).join(', ') || 'none'
    return { reason: `its receipt names key ${keyId}, which is none of the given keys (${known})` }
  }
  const bytes = bytesOf(sig)
  if (!bytes || !verify('sha256', signedBytesOf({ payload, payloadType }), key, bytes))
    return {
      reason: `key ${keyId} has not signed what its receipt says: the Run, or its receipt, was changed afterwards`,
    }
  return { keyId }
}

/** Of base64 in its only canonical form. */
const bytesOf = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
