import { constants, createPrivateKey, type KeyObject, sign } from 'node:crypto'

/** A JSON Web Token signed with RSA and SHA-256 (RS256), or with PSS padding (PS256). */
export const signedJwt = (
  key: KeyObject,
  header: { readonly alg: 'RS256' | 'PS256' } & Readonly<Record<string, unknown>>,
  claims: Readonly<Record<string, unknown>>,
): string => {
  const content = `${encode({ typ: 'JWT', ...header })}.${encode(claims)}`
  const padding = header.alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}
  return `${content}.${sign('sha256', Buffer.from(content), { key, ...padding }).toString('base64url')}`
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** An RSA key from PEM text, which a passphrase may protect; undefined if it is invalid. The reason is dropped: it may quote the key. */
export const rsaKey = (pem: string, passphrase?: string): KeyObject | undefined => {
  try {
    const key = createPrivateKey({ key: pem, passphrase: passphrase ?? '' })
    return key.asymmetricKeyType === 'rsa' ? key : undefined
  } catch {
    return undefined
  }
}
