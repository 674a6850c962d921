import { accountAccess } from '../clusters/client/account-access.ts'
import { aksAccess } from '../clusters/client/aks-access.ts'
import { type Clusters, clusters as remoteClusters } from '../clusters/client/clusters.ts'
import { eksAccess } from '../clusters/client/eks-access.ts'
import { gkeAccess } from '../clusters/client/gke-access.ts'
import type { ServiceAccountTokens } from '../hub/apiserver/identity/service-account-tokens.ts'
import { azureCloudAt } from '../platform/cloud/azure/clouds.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import type { CoreSettings, Ports } from './platform.ts'

const tokenSeconds = 3600

/** Access to remote clusters, with the platform's identities, and as ServiceAccounts if clusters can reach the issuer. */
export const composeClusters = (
  { clock, log, identities, connections }: Ports,
  { tokenIssuer }: Pick<CoreSettings, 'tokenIssuer'>,
  tokens: Pick<ServiceAccountTokens, 'issue'>,
): Clusters => {
  const { aws, azure, gcp, environment = {} } = identities ?? {}
  const fetch = guardedFetch(connections)
  const { resourceManager } = azureCloudAt(environment.AZURE_AUTHORITY_HOST)
  const issue: Parameters<typeof accountAccess>[0] = async (account, audiences) => {
    const { token, expires } = await tokens.issue({ ...account, audiences, seconds: tokenSeconds })
    return { token, expiresAt: expires }
  }
  return remoteClusters({
    clock,
    forbids: connections.forbids,
    ...(aws && { eks: eksAccess({ identity: aws, environment, fetch, clock }) }),
    providers: {
      ...(azure && { azure: aksAccess({ identity: azure, fetch, resourceManager }) }),
      ...(gcp && { gcp: gkeAccess({ identity: gcp, fetch }) }),
      ...(tokenIssuer && { generic: accountAccess(issue, clock) }),
    },
    onWarning: (server, warning) => log.info('ignored a field of a kubeconfig', { server, warning }),
  })
}
