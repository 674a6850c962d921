import type { Decrypter } from 'age-encryption'
import type { AgeKey } from '../master-key.ts'
import { sshIdentity } from './age-ssh-identity.ts'

/** Opens data keys that were encrypted for age recipients. */
export type AgeService = (key: AgeKey) => Promise<Uint8Array>

const sshKey = /-----BEGIN (OPENSSH|RSA) PRIVATE KEY-----[\s\S]*?-----END \1 PRIVATE KEY-----/g
const maxArmoredBytes = 64 << 10

/**
 * Opens data keys with the identities in these texts: `AGE-SECRET-KEY-1...` or `AGE-SECRET-KEY-PQ-1...` a line, `#comments`
 * between them, and SSH private keys (Ed25519, RSA) without a passphrase. Fails when a text holds anything else, without
 * a word of what that is.
 */
export const ageService = async (texts: readonly string[]): Promise<AgeService> => {
  const age = await import('age-encryption')
  const decrypter = new age.Decrypter()
  for (const text of texts) addIdentities(decrypter, text)
  return async ({ encrypted }) => {
    if (encrypted.length > maxArmoredBytes) throw new Error('the encrypted data key is too long')
    try {
      return await decrypter.decrypt(age.armor.decode(encrypted))
    } catch (error) {
      throw new Error(reasonOf(error), { cause: error })
    }
  }
}

/** Adds what a text holds; see `ageService`. */
const addIdentities = (decrypter: Decrypter, text: string): void => {
  for (const [pem] of text.matchAll(sshKey)) decrypter.addIdentity(sshIdentity(pem))
  for (const line of text.replaceAll(sshKey, '').split(/\r?\n/)) {
    if (line.trim() !== '' && !line.startsWith('#')) addIdentity(decrypter, line.trim())
  }
}

const addIdentity = (decrypter: Decrypter, identity: string): void => {
  if (identity.startsWith('AGE-PLUGIN-')) throw new Error('age plugins are not supported')
  if (!/^AGE-SECRET-KEY-(PQ-)?1/.test(identity)) throw new Error('unknown identity type')
  try {
    decrypter.addIdentity(identity)
  } catch {
    throw new Error('malformed secret key')
  }
}

const reasonOf = (error: unknown): string =>
  /no identity matched/i.test((error as Error).message)
    ? 'identity did not match any of the recipients'
    : 'the encrypted data key is malformed or was changed'
