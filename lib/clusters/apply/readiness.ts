import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'
import type { ChangedSchemas } from './changed-schemas.ts'
import { type Definition, isDefinition, versionsOf } from './definition.ts'
import { checkHealth, type Health, healthOf } from './health.ts'

/** A CRD is established within a second; longer waits are up to the caller, without blocking a process. */
const MAX_POLL_MS = 5_000
const FIRST_PAUSE_MS = 50

/**
 * Polls for a few seconds until definitions are ready for use: new CustomResourceDefinitions' kinds
 * are served, and changed ones with their new schema. Resolves to those that are not ready by then.
 */
export const awaitReady = async (
  cluster: ClusterClient,
  applied: readonly KubernetesObject[],
  schemas: ChangedSchemas,
  clock: Clock,
  signal?: AbortSignal,
): Promise<readonly Health[]> => {
  const deadline = clock.monotonic() + MAX_POLL_MS
  const targets = applied.map(object => ({ apiVersion: object.apiVersion, ref: refOf(object) }))
  let health: readonly Health[] = await Promise.all(
    applied.map(object => healthOf(object, refOf(object), { now: clock.now() })),
  )
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const unready = health.filter(({ status }) => status !== 'Current')
    const waitingFor = unready.length > 0 ? unready : await unserved(cluster, applied, schemas, signal)
    if (waitingFor.length === 0 || clock.monotonic() + pause > deadline) return waitingFor
    await clock.sleep(pause, signal)
    health = await checkHealth(cluster, targets, { now: clock.now(), signal })
  }
}

/** Established definitions whose kinds or changes the cluster does not serve yet, which takes a moment longer. */
const unserved = async (
  cluster: ClusterClient,
  applied: readonly KubernetesObject[],
  schemas: ChangedSchemas,
  signal?: AbortSignal,
): Promise<readonly Health[]> => {
  const definitions = applied.filter(isDefinition)
  const kinds = await Promise.all(definitions.map(definition => unservedKind(cluster, definition, signal)))
  const waitingFor = kinds.filter(one => one !== undefined)
  return waitingFor.length > 0 ? waitingFor : schemas.unserved(definitions)
}

const unservedKind = async (
  cluster: ClusterClient,
  definition: Definition,
  signal?: AbortSignal,
): Promise<Health | undefined> => {
  const version = versionsOf(definition).find(({ served }) => served)?.name
  if (!version) return undefined
  const { group, names } = definition.spec
  try {
    await cluster.resourceFor(`${group}/${version}`, names.kind, { signal })
    return undefined
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== 'noMatch') throw error
    return { ref: refOf(definition), status: 'InProgress', message: error.message }
  }
}
