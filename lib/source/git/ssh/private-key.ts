import { createPrivateKey, type KeyObject } from 'node:crypto'
import { sshReader, sshString } from './ssh-wire.ts'

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
    if (key.asymmetricKeyType === 'ed25519') return { pem: openSshEd25519(key) }
    const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : key.asymmetricKeyType === 'ec' ? 'sec1' : undefined
    return type ? { pem: key.export({ type, format: 'pem' }).toString() } : asGiven
  } catch {
    return asGiven
  }
}

/** As ssh-keygen writes it (PROTOCOL.key of OpenSSH), without a passphrase. */
const openSshEd25519 = (key: KeyObject): string => {
  const { x = '', d = '' } = key.export({ format: 'jwk' })
  const [open, secret] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')]
  const none = sshString(Buffer.from('none'))
  const noText = sshString(Buffer.alloc(0))
  const publicPart = Buffer.concat([sshString(Buffer.from('ssh-ed25519')), sshString(open)])
  const check = Buffer.alloc(8)
  const secrets = Buffer.concat([check, publicPart, sshString(Buffer.concat([secret, open])), noText])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (secrets.length % 8)) % 8))
  const count = Buffer.from([0, 0, 0, 1])
  const keys = [count, sshString(publicPart), sshString(Buffer.concat([secrets, padding]))]
  const body = [Buffer.from(magic), none, none, noText, ...keys]
  const lines = Buffer.concat(body).toString('base64').replace(/.{70}/g, '$&\n')
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`
}
