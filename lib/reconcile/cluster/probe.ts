import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { abortable } from '../../foundations/rules/abortable.ts'
import { describeOutage } from '../../foundations/rules/outage.ts'
import type { Clock } from '../../platform/ports/clock.ts'

/** The result of a probe. */
export type Probe =
  | {
      readonly type: 'reachable'
      readonly server: string
      /** Absent if the account may not read it. */
      readonly version?: string
      /** UID of the namespace kube-system; absent if the account may not read it. */
      readonly uid?: string
      /** Of one request, in milliseconds. */
      readonly latencyMs: number
      /** The served API groups besides the core group, sorted; absent if the account may not read them. */
      readonly apiGroups?: readonly string[]
      readonly health: ControlPlaneHealth
    }
  /** The cluster rejects the credential (HTTP 401). */
  | { readonly type: 'refused'; readonly server: string; readonly message: string }
  /** No response in time, or one that is not an API server's, or a server error. */
  | { readonly type: 'unreachable'; readonly server: string; readonly message: string }

/** What the API server says of itself and what it needs, such as etcd; `unknown` if the account may not read it. */
export type ControlPlaneHealth =
  | { readonly type: 'healthy' }
  | { readonly type: 'unhealthy'; readonly problem: string }
  | { readonly type: 'unknown'; readonly problem: string }

export interface ProbeOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Reads a cluster's version, identity, API groups and readiness with four small requests. They go through the breaker that its units use, so that a probe
 * closes it when the cluster is back. Fails only if `signal` is aborted.
 */
export const probeCluster = async (
  cluster: ClusterClient,
  { clock, timeoutMs, signal }: ProbeOptions,
): Promise<Probe> => {
  const { server } = cluster
  const timeout = AbortSignal.timeout(timeoutMs)
  const limit = AbortSignal.any([signal, timeout])
  try {
    // The first request opens the connection, the second one is timed.
    const { uid } = await abortable(cluster.identity(true), limit)
    const began = clock.monotonic()
    const version = await versionOf(cluster, limit)
    const latencyMs = clock.monotonic() - began
    const [apiGroups, health] = await Promise.all([apiGroupsOf(cluster, limit), healthOf(cluster, limit)])
    return {
      ...{ type: 'reachable', server, latencyMs, health },
      ...(version && { version }),
      ...(uid && { uid }),
      ...(apiGroups && { apiGroups }),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted)
      return {
        ...{ type: 'unreachable', server },
        message: describeOutage({ server, problem: `no response in ${formatDuration(timeoutMs)}` }),
      }
    if (!(error instanceof ClusterError)) throw error
    return { type: error.code === 'unauthorized' ? 'refused' : 'unreachable', server, message: error.message }
  }
}

const versionOf = (cluster: ClusterClient, signal: AbortSignal): Promise<string | undefined> =>
  unlessForbidden(async () => cluster.serverVersion?.({ fresh: true, signal }))

const apiGroupsOf = (cluster: ClusterClient, signal: AbortSignal): Promise<readonly string[] | undefined> =>
  unlessForbidden(async () => {
    const list = (await cluster.document?.('/apis', { signal })) as { readonly groups?: readonly Group[] } | undefined
    return list?.groups?.map(({ name }) => name).sort()
  })

/** A check that fails has a line `[-]etcd failed: reason withheld`. */
const failedCheck = /^\[-\](\S+)/gm

const healthOf = async (cluster: ClusterClient, signal: AbortSignal): Promise<ControlPlaneHealth> => {
  const { status, body } = (await cluster.readiness?.({ signal })) ?? { status: 404, body: '' }
  if (status === 200) return { type: 'healthy' }
  if (status < 500) return { type: 'unknown', problem: `/readyz can't be read: status ${status}` }
  const checks = [...body.matchAll(failedCheck)].slice(0, maxChecks).map(([, check]) => check)
  return {
    type: 'unhealthy',
    problem: checks.length > 0 ? `/readyz fails: ${checks.join(', ')}` : `/readyz responds with status ${status}`,
  }
}

const maxChecks = 10

interface Group {
  readonly name: string
}

const unlessForbidden = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ClusterError && error.code === 'forbidden') return undefined
    throw error
  }
}
