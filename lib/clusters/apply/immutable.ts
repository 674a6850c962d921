import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { type ClusterClient, ClusterError, type WriteOptions } from '../client/client.ts'

/**
 * Whether an update was refused only because the object already exists with other values, so that deleting and recreating
 * it helps. Tests whether the object would be accepted as a new one: deleting the live object for
 * an invalid one would only lose it.
 */
export const isRefusedAsUpdate = async (
  refusal: ClusterError,
  desired: KubernetesObject,
  cluster: ClusterClient,
  { fieldManager, signal }: WriteOptions,
): Promise<boolean> => {
  const speaksOfImmutability = /is immutable|immutable field|immutable after|are forbidden|may not change|cannot change/
  const isPlain = speaksOfImmutability.test(refusal.message)
  if (!isPlain && refusal.code !== 'invalid') return false

  const { metadata } = desired
  const namesake = { ...desired, metadata: { ...metadata, name: '', generateName: `${metadata.name.slice(0, 40)}-` } }
  try {
    await cluster.create(namesake, { fieldManager, dryRun: true, signal })
    return true
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return isPlain && !isInvalidInItself(error)
  }
}

/** The test object may be refused because the live object holds a port or an address, or for its name. */
const isInvalidInItself = ({ code, message }: ClusterError): boolean =>
  code === 'invalid' && !/already allocated|metadata\.name/.test(message)
