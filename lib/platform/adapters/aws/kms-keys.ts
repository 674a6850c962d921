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
  /** Id or ARN of the master key. */
  readonly keyId: string
  /** Bound to every data key: a hub's keys open with its name only, also where hubs share a master key. */
  readonly hubName: string
  readonly limits?: EnvelopeLimits
}

/** An hour per data key and scope: what the Secrets of a namespace cost in KMS calls is one a cold start, not one a read. */
const defaultLimits: EnvelopeLimits = { uses: 10_000, ageMs: 3_600_000, remembered: 1000 }

/** Seals under data keys that AWS KMS makes and unwraps. */
export const kmsKeys = (kms: KMSClient, options: KmsKeysOptions): Keys =>
  envelopeKeys(kmsSource(kms, options), { ...options, limits: options.limits ?? defaultLimits })

/** As policies know data keys (`kms:EncryptionContext:...`), and CloudTrail shows each use of the master key. */
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
        throw new KeysUnavailable(`KMS does not open a data key at the moment: ${(error as Error).message}`, error)
      }
    },
  }
}
