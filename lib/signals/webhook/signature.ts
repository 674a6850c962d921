import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { type WebhookCall, WebhookRefused } from './call.ts'

/** Whether two texts are equal, in a time that tells nothing about where they differ. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))

/** The value of a header must be the token itself. */
export const requireSecretHeader = ({ header }: WebhookCall, name: string, token: string): void => {
  const given = header(name)
  if (given === undefined || !isSameSecret(given, token))
    throw new WebhookRefused(`the header ${name} does not match the receiver's token`)
}

export interface SignatureForm {
  readonly header: string
  /** Allowed algorithms; the first is that of a bare signature. */
  readonly algorithms: readonly Algorithm[]
  /** The header holds only the hex digits, without `<algorithm>=`. */
  readonly bare?: true
}

type Algorithm = 'sha1' | 'sha256' | 'sha512'

/** The header must hold the HMAC of the body under the token: `<algorithm>=<hex>`, or the hex digits alone. */
export const requireSignature = (
  { header, body }: WebhookCall,
  token: string,
  { header: name, algorithms, bare }: SignatureForm,
): void => {
  const signature = header(name)
  if (!signature) throw new WebhookRefused(`the header ${name} is missing`)
  const [prefix = '', digits = ''] = bare ? [algorithms[0]!, signature] : signature.split('=', 2)
  const algorithm = algorithms.find(allowed => allowed === prefix)
  if (!algorithm) throw new WebhookRefused(`the header ${name} must start with ${algorithms.join('= or ')}=`)
  const expected = createHmac(algorithm, token).update(body).digest()
  const given = Buffer.from(digits, 'hex')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new WebhookRefused(`the signature in the header ${name} does not fit the body`)
}

/** Signed by the first form whose header is there; by the first of all when none is. */
export const requireAnySignature = (call: WebhookCall, token: string, forms: readonly SignatureForm[]): void =>
  requireSignature(call, token, forms.find(form => call.header(form.header) !== undefined) ?? forms[0]!)
