import type { Identity } from 'age-encryption'
import type { AgeKey } from '../master-key.ts'
import { sshIdentity } from './age-ssh-identity.ts'

/** Decrypts data keys that were encrypted for age recipients. */
export type AgeService = (key: AgeKey) => Promise<Uint8Array>

const sshKey = /-----BEGIN (OPENSSH|RSA) PRIVATE KEY-----[\s\S]*?-----END \1 PRIVATE KEY-----/g
const maxArmoredBytes = 64 << 10

/** Decrypts data keys with the identities in these texts; see `readAgeIdentities`. */
export const ageService = async (texts: readonly string[]): Promise<AgeService> => {
  const age = await import('age-encryption')
  const identities = await Promise.all(texts.map(readAgeIdentities))
  const decrypter = new age.Decrypter()
  for (const identity of identities.flat()) decrypter.addIdentity(identity)
  return async ({ encrypted }) => {
    if (encrypted.length > maxArmoredBytes) throw new Error('the encrypted data key is too long')
    try {
      return await decrypter.decrypt(age.armor.decode(encrypted))
    } catch (error) {
      throw new Error(reasonOf(error, identities.flat().length), { cause: error })
    }
  }
}

/**
 * Parses the identities in a text: one `AGE-SECRET-KEY-1...` or `AGE-SECRET-KEY-PQ-1...` per line, `#comments` between them, and SSH private
 * keys (Ed25519, RSA) without a passphrase. Fails on anything else; the error quotes nothing of it.
 */
export const readAgeIdentities = async (text: string): Promise<readonly (string | Identity)[]> => {
  const { Decrypter } = await import('age-encryption')
  const ssh = [...text.matchAll(sshKey)].map(([pem]) => sshIdentity(pem))
  const lines = text.replaceAll(sshKey, '').split(/\r?\n/)
  const identities = lines.map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'))
  for (const identity of identities) {
    if (identity.startsWith('AGE-PLUGIN-')) throw new Error('age plugins are not supported')
    if (!/^AGE-SECRET-KEY-(PQ-)?1/.test(identity)) throw new Error('unknown identity type')
    try {
      new Decrypter().addIdentity(identity)
    } catch {
      throw new Error('malformed secret key')
    }
  }
  return [...ssh, ...identities]
}

/** Worded as in age, which distinguishes one identity from several. */
const reasonOf = (error: unknown, tried: number): string => {
  const isWrongIdentity = /no identity matched/i.test((error as Error).message)
  const noMatch =
    tried === 1
      ? 'identity did not match any of the recipients: incorrect identity for recipient block'
      : 'no identity matched any of the recipients'
  const reason = isWrongIdentity ? noMatch : 'it is malformed or was changed'
  return `failed to create reader for decrypting sops data key with age: ${reason}`
}
