import { CloudError } from '../../../platform/cloud/cloud-error.ts'
import type { OpenPgp } from '../../../platform/ports/open-pgp.ts'
import type { SignedContent } from './signed-content.ts'
import { verifySsh } from './ssh-signature.ts'

/** Public keys of trusted signers. */
export interface TrustedKeys {
  /** Armored OpenPGP keys. */
  readonly keyRings: readonly string[]
  /** Lines as in authorized_keys. */
  readonly authorizedKeys: readonly string[]
}

/** No trusted key has signed the object. The message is Flux's. */
export class SignatureNotTrusted extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'SignatureNotTrusted'
  }
}

const maxSignatureBytes = 64 << 10

/**
 * Verifies the signature of a commit or tag. Returns the key that made it: an OpenPGP key ID, or the fingerprint of an
 * SSH key. Fails with SignatureNotTrusted.
 */
export const verifySignature = async (
  { payload, signature }: SignedContent,
  what: 'commit' | 'tag',
  { keyRings, authorizedKeys }: TrustedKeys,
  openPgp: Pick<OpenPgp, 'verify'>,
): Promise<string> => {
  const type = signatureType(signature)
  if (signature.length > maxSignatureBytes)
    throw new SignatureNotTrusted(`the signature is longer than ${maxSignatureBytes} bytes`)
  if (type === 'openpgp') {
    if (keyRings.length === 0) {
      throw new SignatureNotTrusted(
        'PGP signature detected but no PGP public keys found in secret (keys with .asc suffix)',
      )
    }
    return openPgp.verify(payload, signature, keyRings).catch(failing(`unable to verify Git ${what}`))
  }
  if (type === 'ssh') {
    if (authorizedKeys.length === 0) {
      throw new SignatureNotTrusted(
        'SSH signature detected but no SSH public keys found in secret (keys with .sshpub suffix)',
      )
    }
    try {
      return verifySsh(payload, signature, authorizedKeys)
    } catch (error) {
      return failing(`unable to verify Git ${what} SSH signature`)(error)
    }
  }
  throw new SignatureNotTrusted(`unsupported signature type: ${type}`)
}

const failing =
  (what: string) =>
  (error: unknown): never => {
    if (error instanceof CloudError) throw error // the signature was not checked
    throw new SignatureNotTrusted(`${what}: ${(error as Error).message}`, error)
  }

const signatureType = (signature: string): 'openpgp' | 'ssh' | 'x509' | 'empty' | 'unknown' => {
  const text = signature.trimStart()
  if (text === '') return 'empty'
  if (text.startsWith('-----BEGIN PGP SIGNATURE-----')) return 'openpgp'
  if (text.startsWith('-----BEGIN SSH SIGNATURE-----')) return 'ssh'
  return text.startsWith('-----BEGIN SIGNED MESSAGE-----') ? 'x509' : 'unknown'
}
