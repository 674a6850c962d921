import { isPushTarget, repositoryRef, versionsFor } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Push } from './push.ts'

/** Selects objects of one kind in a namespace by labels. */
export interface TargetSelector {
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly matchLabels: Readonly<Record<string, string>>
}

/** Finds the objects of a selector. */
export type SelectTargets = (target: TargetSelector) => Promise<readonly KubernetesObject[]>

type ReadableHub = Pick<Hub, 'get' | 'list' | 'referrers'>

/** Lists all of them. */
export const listTargets = async (
  hub: ReadableHub,
  { matchLabels, ...collection }: TargetSelector,
): Promise<readonly KubernetesObject[]> => {
  const labelSelector = Object.entries(matchLabels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',')
  const objects: KubernetesObject[] = []
  let next: string | undefined
  do {
    const page = await hub.list<KubernetesObject>({ ...collection, labelSelector, limit: 500, continue: next })
    objects.push(...page.items)
    next = page.continue
  } while (next)
  return objects
}

/**
 * Finds the sources that follow a push through the index, without reading the others. If none does, returns one that
 * follows another version of the repository, to show that the repository is known. Returns all objects of kinds that
 * pushes don't apply to.
 */
export const pushedSources = async (
  hub: ReadableHub,
  target: TargetSelector,
  { repositories, versions }: Push,
): Promise<readonly KubernetesObject[]> => {
  if (!isPushTarget(target.kind)) return listTargets(hub, target)
  const followed = versions.length > 0 ? [...new Set(versions.flatMap(versionsFor))] : ['']
  const found = new Map<string, KubernetesObject>()
  for (const address of repositories)
    for (const version of followed)
      for await (const object of among(hub, target, repositoryRef(address, version)))
        found.set(object.metadata.name, object)
  if (found.size > 0) return [...found.values()]
  for (const address of repositories)
    for await (const object of among(hub, target, repositoryRef(address))) return [object]
  return []
}

async function* among(
  hub: ReadableHub,
  { group, kind, namespace, matchLabels }: TargetSelector,
  repository: ObjectRef,
): AsyncGenerator<KubernetesObject> {
  for await (const ref of hub.referrers(repository)) {
    if (ref.group !== group || ref.kind !== kind || ref.namespace !== namespace) continue
    const object = await hub.get<KubernetesObject>(ref)
    const labels = object?.metadata.labels ?? {}
    if (object && Object.entries(matchLabels).every(([label, value]) => labels[label] === value)) yield object
  }
}
