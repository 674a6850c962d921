import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { ClusterClient, JsonPatch } from '../client/client.ts'
import { afterTakeover } from './after-takeover.ts'
import { fieldDifferences } from './field-diff.ts'

export interface Takeover {
  /** The object as the build has it. */
  readonly desired: KubernetesObject
  /** The dry run of its apply, which removes nothing of the former managers. */
  readonly applied: KubernetesObject
  /** What precedes the apply, and makes `fieldManager` the owner of their fields. */
  readonly takeover: JsonPatch
  readonly fieldManager: string
  readonly signal?: AbortSignal | undefined
}

/**
 * The live object as it will be after a takeover and an apply, which no dry run shows: the second request depends on the first. So it is worked
 * out, and the cluster adds its defaults and judges it, both by dry runs. Fails with a ClusterError if the cluster refuses that.
 */
export const previewTakeover = async (
  cluster: Pick<ClusterClient, 'patch'>,
  { desired, applied, takeover, fieldManager, signal }: Takeover,
): Promise<KubernetesObject> => {
  const ref = refOf(desired)
  const dryRun = { fieldManager, dryRun: true, signal }
  const takenOver = await cluster.patch(desired.apiVersion, ref, takeover, dryRun)
  const value = afterTakeover(applied, takenOver, desired, fieldManager)
  const [removed] = fieldDifferences(applied, value)
  if (!removed) return value
  return cluster.patch(
    desired.apiVersion,
    ref,
    { type: 'json', operations: [{ op: 'replace', path: '', value }] },
    dryRun,
  )
}
