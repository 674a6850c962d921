import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ReceiverType } from '../kinds/receiver.ts'

/** A request as far as its authenticity is concerned. */
export interface ProvenBy {
  header(name: string): string | undefined
  /** As it was sent: signatures are over these bytes. */
  readonly body: Uint8Array
}

/** Why a request is refused, or undefined. Says nothing about the token. */
export const refusalOf = (type: ReceiverType, token: string, { header, body }: ProvenBy): string | undefined => {
  switch (type) {
    case 'generic':
      return undefined // whoever knows the path may call
    case 'generic-hmac':
      return signatureProblem('X-Signature', header('x-signature'), ['sha1', 'sha256', 'sha512'], token, body)
    case 'github':
      return signatureProblem('X-Hub-Signature-256', header('x-hub-signature-256'), ['sha256'], token, body)
    default:
      return `receivers of type ${type} are not supported`
  }
}

/** `<algorithm>=<hex of the HMAC of the body under the token>`, compared in constant time. */
const signatureProblem = (
  name: string,
  signature: string | undefined,
  algorithms: readonly string[],
  token: string,
  body: Uint8Array,
): string | undefined => {
  if (!signature) return `the header ${name} is missing`
  const [algorithm = '', hex = ''] = signature.split('=', 2)
  if (!algorithms.includes(algorithm)) return `the header ${name} must start with ${algorithms.join('= or ')}=`
  const expected = createHmac(algorithm, token).update(body).digest()
  const given = Buffer.from(hex, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? undefined
    : `the signature in the header ${name} does not fit the body`
}
