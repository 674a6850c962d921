import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { readObject } from './answers.ts'
import type { ClusterIdentity } from './cluster-identity.ts'
import { statusError } from './status-error.ts'
import type { TransportResponse } from './transport.ts'

export interface ClusterIdentities {
  /**
   * Asks as the kubeconfig's own account, never an impersonated one: the answer must not depend on what a tenant may read. Cached
   * for a minute; `fresh` asks now, as required before anything is deleted. Fails with a ClusterError if the cluster doesn't answer.
   */
  find(fresh?: boolean): Promise<ClusterIdentity>
  /** Drops the cache: the connection broke, and another cluster may answer from now on. */
  forget(): void
}

const keptMs = 60_000

export const accessDigest = (server: string, certificateAuthority: string | undefined): string =>
  sha256Digest(`${server}\n${certificateAuthority ?? ''}`)

export const clusterIdentities = (
  ask: (path: string) => Promise<TransportResponse>,
  access: string,
  clock: Pick<Clock, 'monotonic'>,
): ClusterIdentities => {
  let known: Promise<ClusterIdentity> | undefined
  let learnedAt = Number.NEGATIVE_INFINITY

  const learn = async (): Promise<ClusterIdentity> => {
    const response = await ask('/api/v1/namespaces/kube-system')
    if ([401, 403, 404].includes(response.status)) return { access }
    if (response.status !== 200) throw statusError(response)
    const { uid } = readObject(response).metadata
    return typeof uid === 'string' ? { uid, access } : { access }
  }
  return {
    find: (fresh = false) => {
      if (known && !fresh && clock.monotonic() - learnedAt < keptMs) return known
      learnedAt = clock.monotonic()
      const learning = learn()
      known = learning
      learning.catch(() => {
        if (known === learning) known = undefined
      })
      return learning
    },
    forget: () => {
      known = undefined
    },
  }
}
