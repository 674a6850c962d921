import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { type WebhookCall, WebhookRefused } from './call.ts'

/** Compares two strings in constant time. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))

/** Requires that a header equals the token. */
export const requireSecretHeader = ({ header }: WebhookCall, name: string, token: string): void => {
  const given = header(name)
  if (given === undefined || !isSameSecret(given, token))
    throw new WebhookRefused(`the header ${name} does not match the receiver's token`)
}

export interface SignatureForm {
  readonly header: string
  /** Allowed algorithms; the first one applies to bare signatures. */
  readonly algorithms: readonly Algorithm[]
  /** The header contains only the hex digits, without `<algorithm>=`. */
  readonly bare?: true
}

type Algorithm = 'sha1' | 'sha256' | 'sha512'

/** Requires that a header contains the HMAC of the body with the token: `<algorithm>=<hex>`, or only the hex digits. */
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
    throw new WebhookRefused(`the signature in the header ${name} does not match the body`)
}

/** Uses the first form whose header is present, otherwise the first form. */
export const requireAnySignature = (call: WebhookCall, token: string, forms: readonly SignatureForm[]): void =>
  requireSignature(call, token, forms.find(form => call.header(form.header) !== undefined) ?? forms[0]!)
