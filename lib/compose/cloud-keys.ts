import { ambientIdentities } from '../platform/cloud/ambient-identities.ts'
import { ambientRegion } from '../platform/cloud/aws/ambient-identity.ts'
import type { AmbientPorts } from '../platform/cloud/cloud-ports.ts'
import type { DecryptionPorts } from '../reconcile/kustomization/decryption/load-decryptor.ts'
import { processIdentities } from '../reconcile/kustomization/decryption/secretless-identities.ts'

/** The clouds' key services, with the identity of this process: from its environment, its files and, where enabled, its machine. */
export const cloudKeys = (cloud: AmbientPorts): DecryptionPorts => ({
  cloud,
  own: processIdentities(ambientIdentities(cloud)),
  region: ambientRegion(cloud),
})
