import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { TlsOptions } from './guarded-agent.ts'

/** The bytes of a Secret by key, and its name as `<namespace>/<name>`. */
export interface SecretContent {
  readonly name: string
  readonly data: ReadonlyMap<string, Uint8Array>
}

/** A Secret lacks a key or holds an invalid value. The message is Flux's, and quotes none of the content. */
export class InvalidSecret extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidSecret'
  }
}

/** The text under a key; '' if absent. */
export const secretText = ({ data }: SecretContent, key: string): string =>
  Buffer.from(data.get(key) ?? []).toString('utf8')

/**
 * `tls.crt` and `tls.key` for the client and `ca.crt` for the server's authority, or their older names certFile, keyFile and caFile. Fails with
 * InvalidSecret if they are invalid or all absent.
 */
export const readTls = (secret: SecretContent): TlsOptions => {
  const certificate = secretText(secret, 'tls.crt') || secretText(secret, 'certFile')
  const key = secretText(secret, 'tls.key') || secretText(secret, 'keyFile')
  const ca = secretText(secret, 'ca.crt') || secretText(secret, 'caFile')
  if (certificate && !key) throw new InvalidSecret(`secret '${secret.name}' contains 'tls.crt' but missing 'tls.key'`)
  if (key && !certificate) throw new InvalidSecret(`secret '${secret.name}' contains 'tls.key' but missing 'tls.crt'`)
  if (!certificate && !ca) {
    throw new InvalidSecret(`secret '${secret.name}' must contain either 'ca.crt' or both 'tls.crt' and 'tls.key'`)
  }
  if (certificate) requirePair(certificate, key)
  if (ca) requireCertificate(ca)
  return { ...(ca && { ca }), ...(certificate && { certificate, key }) }
}

const requirePair = (certificate: string, key: string): void => {
  const matches = attempt(() => new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
  if (!matches) throw new InvalidSecret('failed to parse TLS certificate and key: not PEM, or not a pair')
}

const requireCertificate = (ca: string): void => {
  if (!attempt(() => new X509Certificate(ca))) throw new InvalidSecret('failed to parse CA certificate')
}

const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

const MAX_PROXY_ADDRESS = 2048

/** The proxy at `address`, with `username` and `password` if present. Fails with InvalidSecret. */
export const readProxy = (secret: SecretContent): URL => {
  if (!secret.data.has('address')) throw new InvalidSecret(`secret '${secret.name}': key 'address' not found`)
  const address = secretText(secret, 'address')
  if (address === '') throw new InvalidSecret(`secret '${secret.name}': proxy address is empty`)
  if (address.length > MAX_PROXY_ADDRESS) {
    throw new InvalidSecret(
      `secret '${secret.name}': proxy URL exceeds maximum length of ${MAX_PROXY_ADDRESS} characters`,
    )
  }
  const url = URL.parse(address)
  const scheme = url?.protocol.slice(0, -1) ?? ''
  if (!url || !['http', 'https', 'socks5'].includes(scheme)) {
    throw new InvalidSecret(
      `secret '${secret.name}': proxy URL must use one of the supported schemes (http, https, socks5), got '${scheme}'`,
    )
  }
  const username = secretText(secret, 'username')
  if (!username) return url
  url.username = encodeURIComponent(username)
  url.password = encodeURIComponent(secretText(secret, 'password'))
  return url
}
