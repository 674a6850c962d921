import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Signer } from '../foundations/rules/approval-statement.ts'
import { keyIdOf } from '../foundations/rules/verify-receipt.ts'
import { CommandFailed } from './command-failed.ts'

/** Reads a private key from a file: Ed25519, ECDSA P-256 or RSA, in PEM. Fails with CommandFailed. */
export const readSigner = (file: string): Signer => {
  try {
    const key = createPrivateKey(readFileSync(file))
    const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return { keyId: keyIdOf(createPublicKey(key)), sign: bytes => sign(hash, bytes, key) }
  } catch (cause) {
    throw new CommandFailed(`${file} is no private key in PEM: ${(cause as Error).message}`, { cause })
  }
}
