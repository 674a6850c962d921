import { createPrivateKey } from 'node:crypto'
import { sshReader } from './ssh-wire.ts'

const magic = 'openssh-key-v1\0'

/** Whether a private key is protected by a passphrase, in any form that ssh-keygen and OpenSSL write. */
export const hasPassphrase = (pem: string): boolean => {
  if (/ENCRYPTED/.test(pem)) return true
  const [, body] = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem) ?? []
  const bytes = Buffer.from(body ?? '', 'base64')
  if (bytes.toString('latin1', 0, magic.length) !== magic) return false
  try {
    const cipher = sshReader(bytes.subarray(magic.length), () => new Error('malformed')).string()
    return cipher.toString() !== 'none'
  } catch {
    return false
  }
}

/** The key in a form that the SSH library reads: it knows no PKCS #8. What is not understood is left as it is. */
export const withoutPkcs8 = (
  pem: string,
  passphrase?: string,
): { readonly pem: string; readonly passphrase?: string } => {
  const asGiven = { pem, ...(passphrase && { passphrase }) }
  if (!/-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(pem)) return asGiven
  try {
    const key = createPrivateKey({ key: pem, ...(passphrase && { passphrase }) })
    const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : key.asymmetricKeyType === 'ec' ? 'sec1' : undefined
    return type ? { pem: key.export({ type, format: 'pem' }).toString() } : asGiven
  } catch {
    return asGiven
  }
}
