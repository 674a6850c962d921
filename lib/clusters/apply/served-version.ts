import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'

/** The apiVersion that an object was applied in, or another one if that is no longer served; undefined if none is. */
export const servedVersion = async (
  cluster: ClusterClient,
  apiVersion: string,
  ref: ObjectRef,
  signal?: AbortSignal,
): Promise<string | undefined> => {
  try {
    await cluster.resourceFor(apiVersion, ref.kind, { signal })
    return apiVersion
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== 'noMatch') throw error
    const other = await cluster.resourceInAnyVersion(ref.group, ref.kind, { signal })
    return other && (ref.group ? `${ref.group}/${other.version}` : other.version)
  }
}
