import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import type { References } from '../../../hub/references/references.ts'
import type { CloudPorts } from '../../../platform/cloud/cloud-ports.ts'
import type { OpenPgp } from '../../../platform/ports/open-pgp.ts'
import { Halt } from '../../runtime/halt.ts'
import type { Decryptor } from './decryptor.ts'
import type { DecryptionPorts, DecryptionSettings } from './load-decryptor.ts'
import { noIdentities } from './secretless-identities.ts'

/** Returns the decryptor of a Kustomization; undefined if it has no decryption. */
export type Decryption = (kustomization: Kustomization, signal?: AbortSignal) => Promise<Decryptor | undefined>

/** Fails in Flux's wording if a Secret is missing or can't be read. The code for it is loaded with the first Kustomization that needs it. */
export const createDecryption =
  (references: References, openPgp: OpenPgp, ports: DecryptionPorts, settings: DecryptionSettings): Decryption =>
  async (kustomization, signal) => {
    if (!kustomization.spec.decryption) return undefined
    const { loadDecryptor } = await import('./load-decryptor.ts')
    return loadDecryptor(kustomization, { references, openPgp, ports, settings }, signal)
  }

/** Halts if an object names a ServiceAccount for decryption and the feature gate is off. */
export const requireDecryptionAllowed = (
  { spec }: Kustomization,
  { objectLevelWorkloadIdentity }: Pick<DecryptionSettings, 'objectLevelWorkloadIdentity'>,
): void => {
  if (!spec.decryption?.serviceAccountName || objectLevelWorkloadIdentity) return
  const message =
    'to use spec.decryption.serviceAccountName for decryption authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller'
  throw new Halt({ type: 'stalled', reason: 'FeatureGateDisabled', message })
}

/** For a hub without cloud access: only keys in Secrets decrypt. */
export const localKeysOnly = (clock: CloudPorts['clock']): DecryptionPorts => ({
  cloud: {
    clock,
    fetch: async () => {
      throw new Error('this hub has no cloud access')
    },
  },
  own: noIdentities,
  region: '',
})
