import type { PrivateKey } from 'openpgp'
import type { PgpKey } from '../master-key.ts'

/** Decrypts data keys that were encrypted for OpenPGP keys. */
export type OpenPgpService = (key: Pick<PgpKey, 'encrypted'>) => Promise<Uint8Array>

/** The library reads only the first block of a text, gpg all of them. */
const privateKeyBlock = /-----BEGIN PGP PRIVATE KEY BLOCK-----[\s\S]*?-----END PGP PRIVATE KEY BLOCK-----/g
const maxArmoredBytes = 256 << 10

/** Decrypts data keys with the private keys in these texts; see `readOpenPgpKeys`. */
export const openPgpService = async (texts: readonly string[]): Promise<OpenPgpService> => {
  const openpgp = await import('openpgp')
  const decryptionKeys = (await Promise.all(texts.map(readOpenPgpKeys))).flat()
  return async ({ encrypted }) => {
    if (encrypted.length > maxArmoredBytes) throw new Error('the encrypted data key is too long')
    const message = await openpgp.readMessage({ armoredMessage: encrypted }).catch(cause => {
      throw new Error('the encrypted data key is not an OpenPGP message', { cause })
    })
    try {
      const { data } = await openpgp.decrypt({ message, decryptionKeys, format: 'binary' })
      return data
    } catch (cause) {
      throw new Error('no OpenPGP key fits, or the encrypted data key was changed', { cause })
    }
  }
}

/**
 * Reads the private keys in an armored text, which must have no passphrase (KS-237). Fails if there are none; the error quotes nothing of
 * the text. Loads the library on first use: it is large.
 */
export const readOpenPgpKeys = async (armoredKeys: string): Promise<PrivateKey[]> => {
  const { readPrivateKeys } = await import('openpgp')
  const blocks = armoredKeys.match(privateKeyBlock) ?? [armoredKeys]
  const keys = await Promise.all(blocks.map(block => readPrivateKeys({ armoredKeys: block }))).catch(cause => {
    throw new Error('no armored OpenPGP private key', { cause })
  })
  if (keys.flat().some(key => !key.isDecrypted())) throw new Error('the OpenPGP key is protected by a passphrase')
  return keys.flat()
}
