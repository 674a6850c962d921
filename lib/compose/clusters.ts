import { type Clusters, clusters as remoteClusters } from '../cluster/clusters.ts'
import { eksAccess } from '../cluster/eks-access.ts'
import { guardedFetch } from '../source/http/guarded-fetch.ts'
import type { Ports } from './platform.ts'

/** The remote clusters, as the identity that the platform has. */
export const composeClusters = ({ clock, log, identities }: Ports): Clusters => {
  const { aws, environment = {} } = identities ?? {}
  return remoteClusters({
    clock,
    ...(aws && { eks: eksAccess({ identity: aws, environment, fetch: guardedFetch(), clock }) }),
    onWarning: (server, warning) => log.info('a kubeconfig asks for something that is left out', { server, warning }),
  })
}
