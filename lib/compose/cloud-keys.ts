import type { ServiceAccountTokens } from '../apiserver/service-account-tokens.ts'
import { ambientRegion } from '../cloud/aws/ambient-identity.ts'
import type { AmbientPorts } from '../cloud/cloud-ports.ts'
import { ownIdentities } from '../cloud/own-identities.ts'
import type { DecryptionPorts } from '../reconcile/kustomization/decryption/decryption.ts'
import { identitiesOfProcess } from '../reconcile/kustomization/decryption/secretless-identities.ts'

/** Key services of clouds, as this process: by its environment, its files and, where enabled, its machine. */
export const cloudKeys = (cloud: AmbientPorts): DecryptionPorts => ({
  cloud,
  own: identitiesOfProcess(ownIdentities(cloud)),
  region: ambientRegion(cloud),
})

const tokenSeconds = 600

/** The same for ServiceAccounts too, by tokens of this hub; where the issuer is one that clouds can reach. */
export const withAccountTokens = (
  keys: DecryptionPorts | undefined,
  tokens: Pick<ServiceAccountTokens, 'issue'>,
  { tokenIssuer }: { readonly tokenIssuer?: string },
): DecryptionPorts | undefined => {
  if (!keys || !tokenIssuer) return keys
  return {
    ...keys,
    issueToken: async (account, audience) =>
      (await tokens.issue({ ...account, audiences: [audience], seconds: tokenSeconds })).token,
  }
}
