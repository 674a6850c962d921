import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'
import { checkHealth, type Health, healthOf } from './health.ts'

/** A CRD is established within a second; longer waits are the caller's, without holding a process. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 50

/**
 * Looks until definitions are ready to be used, the kinds of new CustomResourceDefinitions served among them, for a few
 * seconds at most. Resolves with what is not ready by then.
 */
export const awaitReady = async (
  cluster: ClusterClient,
  applied: readonly KubernetesObject[],
  clock: Clock,
  signal?: AbortSignal,
): Promise<readonly Health[]> => {
  const giveUpAt = clock.monotonic() + PATIENCE_MS
  const targets = applied.map(object => ({ apiVersion: object.apiVersion, ref: refOf(object) }))
  let health: readonly Health[] = await Promise.all(
    applied.map(object => healthOf(object, refOf(object), { now: clock.now() })),
  )
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const unready = health.filter(({ status }) => status !== 'Current')
    const waitingFor = unready.length > 0 ? unready : await unservedKinds(cluster, applied, signal)
    if (waitingFor.length === 0 || clock.monotonic() + pause > giveUpAt) return waitingFor
    await clock.sleep(pause, signal)
    health = await checkHealth(cluster, targets, { now: clock.now(), signal })
  }
}

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions?: readonly { readonly name: string; readonly served: boolean }[]
  }
}

const isDefinition = (object: KubernetesObject): object is Definition => object.kind === 'CustomResourceDefinition'

/** Established definitions whose kinds the cluster does not yet serve: that takes it another moment. */
const unservedKinds = async (
  cluster: ClusterClient,
  applied: readonly KubernetesObject[],
  signal?: AbortSignal,
): Promise<readonly Health[]> => {
  const definitions = applied.filter(isDefinition)
  const health = await Promise.all(
    definitions.map(async definition => {
      const { group, names, versions = [] } = definition.spec
      const version = versions.find(({ served }) => served)?.name
      if (!version) return undefined
      try {
        await cluster.resourceFor(`${group}/${version}`, names.kind, { signal })
        return undefined
      } catch (error) {
        if (!(error instanceof ClusterError) || error.code !== 'noMatch') throw error
        const ref = refOf(definition)
        return { ref, status: 'InProgress' as const, message: error.message }
      }
    }),
  )
  return health.filter(one => one !== undefined)
}
