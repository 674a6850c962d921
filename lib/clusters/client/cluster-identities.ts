import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { CallOptions } from './client.ts'
import type { ClusterIdentity } from './cluster-identity.ts'
import { readObject } from './responses.ts'
import { statusError } from './status-error.ts'
import type { Tally } from './tally.ts'
import type { TransportResponse } from './transport.ts'

export interface ClusterIdentities {
  /**
   * Reads it with the kubeconfig's own account, never an impersonated one, so that the result does not depend on a
   * tenant's rights. Cached for a minute; `fresh` bypasses the cache, as required before deletions. Fails with a
   * ClusterError if the cluster is unreachable.
   */
  find(fresh?: boolean, options?: CallOptions): Promise<ClusterIdentity>
  /** Drops the cache: the connection broke, and the address may belong to another cluster now. */
  forget(): void
}

const keptMs = 60_000

/** The identity of a cluster whose UID can't be read: its address with its certificate authority (PEM). */
export const accessDigest = (server: string, certificateAuthority: string | undefined): string =>
  sha256Digest(`${server}\n${certificateAuthority ?? ''}`)

/**
 * The identity of the cluster behind a connection: the UID of kube-system, as far as the account may read it. `access`
 * is what `accessDigest` returned.
 */
export const clusterIdentities = (
  get: (path: string, tally?: Tally) => Promise<TransportResponse>,
  access: string,
  clock: Pick<Clock, 'monotonic'>,
): ClusterIdentities => {
  let known: Promise<ClusterIdentity> | undefined
  let readAt = Number.NEGATIVE_INFINITY

  const read = async (tally?: Tally): Promise<ClusterIdentity> => {
    const response = await get('/api/v1/namespaces/kube-system', tally)
    if ([401, 403, 404].includes(response.status)) return { access }
    if (response.status !== 200) throw statusError(response)
    const { uid } = readObject(response).metadata
    return typeof uid === 'string' ? { uid, access } : { access }
  }
  return {
    find: (fresh = false, { tally } = {}) => {
      if (known && !fresh && clock.monotonic() - readAt < keptMs) return known
      readAt = clock.monotonic()
      const reading = read(tally)
      known = reading
      reading.catch(() => {
        if (known === reading) known = undefined
      })
      return reading
    },
    forget: () => {
      known = undefined
    },
  }
}
