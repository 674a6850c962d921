import { ambientRegion } from '../platform/cloud/aws/ambient-identity.ts'
import type { AmbientPorts } from '../platform/cloud/cloud-ports.ts'
import { ownIdentities } from '../platform/cloud/own-identities.ts'
import type { DecryptionPorts } from '../reconcile/kustomization/decryption/decryption.ts'
import { identitiesOfProcess } from '../reconcile/kustomization/decryption/secretless-identities.ts'

/** Key services of clouds, as this process: by its environment, its files and, where enabled, its machine. */
export const cloudKeys = (cloud: AmbientPorts): DecryptionPorts => ({
  cloud,
  own: identitiesOfProcess(ownIdentities(cloud)),
  region: ambientRegion(cloud),
})
