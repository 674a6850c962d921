import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { badRequest } from '../store/api-errors.ts'
import { ApiError, type Hub } from '../store/hub.ts'
import { withGoingBack } from './going-back.ts'
import type { ReportRequest, ReportResponse } from './protocol.ts'
import { finalizerOf, isRunnerUnit, managerOf } from './units.ts'

/**
 * What may be handed out: a unit only once it has its finalizer, so that it can't vanish while a runner has applied something. One that has changed
 * at the same moment is handed out next time.
 */
export const withFinalizers = async (
  own: readonly KubernetesObject[],
  hub: Pick<Hub, 'update'>,
): Promise<readonly KubernetesObject[]> => {
  const handed = await Promise.all(own.map(object => withFinalizer(object, hub)))
  return handed.filter(object => object !== undefined)
}

const withFinalizer = async (
  object: KubernetesObject,
  hub: Pick<Hub, 'update'>,
): Promise<KubernetesObject | undefined> => {
  const { finalizers = [], deletionTimestamp } = object.metadata
  const finalizer = finalizerOf(object)
  if (!isRunnerUnit(object) || finalizers.includes(finalizer)) return object
  if (deletionTimestamp !== undefined) return undefined
  const metadata = { ...object.metadata, finalizers: [...finalizers, finalizer] }
  return hub.update({ ...object, metadata }, { fieldManager: managerOf(object) }).catch(undefinedIfChanged)
}

const undefinedIfChanged = (error: unknown): undefined => {
  if (!(error instanceof ApiError && (error.reason === 'Conflict' || error.reason === 'NotFound'))) throw error
}

/**
 * Stores what a runner says about one of its own objects, as the hub has it now. Fails with Conflict if another version is stored than the one that
 * the report replaces: it is late, or was sent before.
 */
export const acceptReport = async (
  object: KubernetesObject,
  { resourceVersion, status, finalized, goesBack }: ReportRequest,
  hub: Pick<Hub, 'update'>,
): Promise<ReportResponse> => {
  const options = { fieldManager: managerOf(object) }
  const { finalizers = [], deletionTimestamp } = object.metadata
  if (typeof resourceVersion !== 'string') throw badRequest('resourceVersion must be a string')
  if (finalized) {
    if (deletionTimestamp === undefined) throw badRequest(`${object.kind} ${refOf(object).name} is not being deleted`)
    const metadata = {
      ...object.metadata,
      resourceVersion,
      finalizers: finalizers.filter(name => name !== finalizerOf(object)),
    }
    await hub.update({ ...object, metadata }, options)
    return {}
  }
  if (goesBack !== undefined) {
    const next = withGoingBack(object, goesBack)
    const stored = await hub.update({ ...next, metadata: { ...next.metadata, resourceVersion } }, options)
    return { resourceVersion: stored.metadata.resourceVersion }
  }
  if (typeof status !== 'object' || status === null) throw badRequest('status must be an object')
  const metadata = { ...object.metadata, resourceVersion }
  const stored = await hub.update({ ...object, metadata, status }, { ...options, subresource: 'status' })
  return { resourceVersion: stored.metadata.resourceVersion }
}
