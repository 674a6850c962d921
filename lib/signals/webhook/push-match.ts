import { followedBy, versionsFor } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Push } from './push.ts'

/**
 * How a source relates to a push: it follows the pushed version, another version of that repository, or another
 * repository.
 */
export type PushMatch = 'same' | 'other-version' | 'other-repository'

/** Sources of other kinds match every push. */
export const matchPush = (source: KubernetesObject, { repositories, versions }: Push): PushMatch => {
  const followed = followedBy(source)
  if (!followed) return 'same'
  const { address, version } = followed
  if (!repositories.has(address)) return 'other-repository'
  if (versions.length === 0) return 'same'
  return version !== undefined && versions.flatMap(versionsFor).includes(version) ? 'same' : 'other-version'
}
