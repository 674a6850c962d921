import { type ClusterClient, ClusterError } from '../cluster/client.ts'
import type { KubernetesObject } from '../kinds/object.ts'

/**
 * Whether an update was refused only because the object already exists with other values, so that deleting and creating
 * it again helps. Refusals that do not say so in the usual words are tried: would the object be accepted if it were new?
 */
export const isRefusedAsUpdate = async (
  refusal: ClusterError,
  desired: KubernetesObject,
  cluster: ClusterClient,
  options: { readonly fieldManager: string; readonly signal?: AbortSignal },
): Promise<boolean> => {
  if (speaksOfImmutability(refusal.message)) return true
  if (refusal.code !== 'invalid') return false
  const namesake = {
    ...desired,
    metadata: { ...desired.metadata, name: `${desired.metadata.name.slice(0, 40)}-as-new` },
  }
  try {
    await cluster.create(namesake, { ...options, dryRun: true })
    return true
  } catch (error) {
    if (error instanceof ClusterError) return false
    throw error
  }
}

const speaksOfImmutability = (message: string): boolean =>
  /is immutable|immutable field|immutable after|are forbidden|may not change|cannot change/.test(message)
