import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { JsonPatch } from '../client/client.ts'

/**
 * The patch that moves all managed fields of a live object to an API version; undefined if they are there. An entry of
 * an older version can make the next apply fail for a field whose default only the newer version has
 * (KS-293).
 */
export const versionPatch = (live: KubernetesObject, apiVersion: string): JsonPatch | undefined => {
  const { managedFields = [], resourceVersion } = live.metadata
  if (managedFields.every(entry => entry.apiVersion === apiVersion)) return undefined
  const value = managedFields.map(entry => ({ ...entry, apiVersion }))
  return {
    type: 'json',
    operations: [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'replace', path: '/metadata/managedFields', value },
    ],
  }
}
