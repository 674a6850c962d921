import { type SshReader, sshReader, sshString } from './wire.ts'

/** ssh-keygen's file format (PROTOCOL.key of OpenSSH). */
const armor = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/
const magic = 'openssh-key-v1\0'
const none = 'none'

export interface PrivateKeyFile {
  readonly hasPassphrase: boolean
  /** The only key in it, which must not have a passphrase: the public part, and the fields of the private part. */
  key(): { readonly publicBlob: Buffer; readonly fields: SshReader }
}

/** Reads such a file; undefined for other formats. Fails with `malformed` if it is damaged, here or in `key`. */
export const readPrivateKeyFile = (pem: string, malformed: () => Error): PrivateKeyFile | undefined => {
  const bytes = Buffer.from(armor.exec(pem)?.[1] ?? '', 'base64')
  if (bytes.toString('latin1', 0, magic.length) !== magic) return undefined
  const file = sshReader(bytes.subarray(magic.length), malformed)
  const [cipher, _derivation, _itsOptions] = [file.string(), file.string(), file.string()]
  return {
    hasPassphrase: cipher.toString() !== none,
    key: () => {
      if (file.number() !== 1) throw malformed()
      const publicBlob = file.string()
      const fields = sshReader(file.string(), malformed)
      // Two equal numbers show that decryption succeeded.
      const [check, again] = [fields.number(), fields.number()]
      if (check !== again) throw malformed()
      return { publicBlob, fields }
    },
  }
}

/** Writes such a file without a passphrase, from the public part of a key and the fields of its private part. */
export const privateKeyFile = (publicBlob: Uint8Array, fields: Uint8Array): string => {
  const [noText, one, check] = [sshString(Buffer.alloc(0)), Buffer.from([0, 0, 0, 1]), Buffer.alloc(8)]
  const secrets = Buffer.concat([check, fields, noText])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (secrets.length % 8)) % 8))
  const header = [Buffer.from(magic), sshString(Buffer.from(none)), sshString(Buffer.from(none)), noText]
  const keys = [one, sshString(publicBlob), sshString(Buffer.concat([secrets, padding]))]
  const lines = Buffer.concat([...header, ...keys])
    .toString('base64')
    .replace(/.{70}/g, '$&\n')
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`
}
