import {
  DecryptCommand,
  GenerateDataKeyCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  type KMSClient,
} from '@aws-sdk/client-kms'
import type { Clock } from '../../ports/clock.ts'
import { type KeyScope, type Keys, KeysUnavailable } from '../../ports/keys.ts'
import type { Random } from '../../ports/random.ts'
import { type DataKeySource, type EnvelopeLimits, envelopeKeys } from '../envelope-keys.ts'
import { encryptionContextKeys } from './encryption-context.ts'

export interface KmsKeysOptions {
  readonly clock: Clock
  readonly random: Random
  /** ID or ARN of the master key. */
  readonly keyId: string
  /** Part of every data key's context: a hub's data keys open only with its name, even where hubs share a master key. */
  readonly hubName: string
  readonly limits?: EnvelopeLimits
}

/** One hour per data key and scope: the Secrets of a namespace cost a KMS call per cold start, not per read. */
const defaultLimits: EnvelopeLimits = { uses: 10_000, ageMs: 3_600_000, remembered: 1000 }

/** Seals under data keys that AWS KMS generates and decrypts. */
export const kmsKeys = (kms: KMSClient, options: KmsKeysOptions): Keys =>
  envelopeKeys(kmsSource(kms, options), { ...options, limits: options.limits ?? defaultLimits })

/** Policies refer to data keys by their context (`kms:EncryptionContext:...`), and CloudTrail shows it with each use of the master key. */
const encryptionContext = (hubName: string, scope: KeyScope | undefined): Record<string, string> => ({
  [encryptionContextKeys.hub]: hubName,
  ...(scope && { [encryptionContextKeys.purpose]: scope.purpose }),
  ...(scope?.namespace !== undefined && { [encryptionContextKeys.namespace]: scope.namespace }),
})

const kmsSource = (kms: KMSClient, { keyId, hubName }: KmsKeysOptions): DataKeySource => {
  const under = (scope: KeyScope | undefined) => ({
    KeyId: keyId,
    EncryptionContext: encryptionContext(hubName, scope),
  })
  return {
    isScoped: true,
    generate: async scope => {
      const { Plaintext, CiphertextBlob } = await kms.send(
        new GenerateDataKeyCommand({ ...under(scope), KeySpec: 'AES_256' }),
      )
      return { plain: Plaintext!, wrapped: CiphertextBlob! }
    },
    unwrap: async (wrapped, scope) => {
      try {
        return (await kms.send(new DecryptCommand({ ...under(scope), CiphertextBlob: wrapped }))).Plaintext!
      } catch (error) {
        if (error instanceof InvalidCiphertextException || error instanceof IncorrectKeyException) throw error
        throw new KeysUnavailable(`KMS can't decrypt a data key at the moment: ${(error as Error).message}`, error)
      }
    },
  }
}
