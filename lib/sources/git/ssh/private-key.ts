import { createPrivateKey, type KeyObject } from 'node:crypto'
import { privateKeyFile, readPrivateKeyFile } from '../../../foundations/ssh/private-key-file.ts'
import { sshString } from '../../../foundations/ssh/wire.ts'

/** Whether a private key is protected by a passphrase, in any format that ssh-keygen and OpenSSL write. */
export const hasPassphrase = (pem: string): boolean => {
  if (/ENCRYPTED/.test(pem)) return true
  try {
    return readPrivateKeyFile(pem, () => new Error('malformed'))?.hasPassphrase ?? false
  } catch {
    return false
  }
}

/** Converts a PKCS #8 key to a format that the SSH library supports. Returns anything it can't parse unchanged. */
export const convertPkcs8 = (
  pem: string,
  passphrase?: string,
): { readonly pem: string; readonly passphrase?: string } => {
  const unchanged = { pem, ...(passphrase && { passphrase }) }
  if (!/-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(pem)) return unchanged
  try {
    const key = createPrivateKey({ key: pem, ...(passphrase && { passphrase }) })
    if (key.asymmetricKeyType === 'ed25519') return { pem: openSshEd25519(key) }
    const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : key.asymmetricKeyType === 'ec' ? 'sec1' : undefined
    return type ? { pem: key.export({ type, format: 'pem' }).toString() } : unchanged
  } catch {
    return unchanged
  }
}

const openSshEd25519 = (key: KeyObject): string => {
  const { x = '', d = '' } = key.export({ format: 'jwk' })
  const [open, secret] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')]
  const publicBlob = Buffer.concat([Buffer.from('ssh-ed25519'), open].map(sshString))
  return privateKeyFile(publicBlob, Buffer.concat([publicBlob, sshString(Buffer.concat([secret, open]))]))
}
