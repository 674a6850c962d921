import { KustomizeError } from '../../kustomize-error.ts'
import type { Resource } from '../../resource.ts'
import { idKey, idString } from '../../resource-id.ts'
import type { ResourceMap } from '../../resource-map.ts'

/** Replaces all resources with a plugin's output; known ones keep their place and their history. */
export const replaceResources = (map: ResourceMap, returned: readonly Resource[], plugin: string): void => {
  const byId = new Map(map.list.map(resource => [idKey(resource.currentId()), resource]))
  const seen = new Set<string>()
  const kept = new Set<Resource>()
  const added: Resource[] = []
  for (const resource of returned) {
    const key = idKey(resource.currentId())
    if (seen.has(key))
      throw new KustomizeError(`plugin ${plugin} generated duplicate resource: ${idString(resource.currentId())}`)
    seen.add(key)
    const old = byId.get(key)
    if (old) {
      old.node = resource.node
      kept.add(old)
    } else added.push(resource)
  }
  map.list = [...map.list.filter(resource => kept.has(resource)), ...added]
}

/** Fails with the resources that were added or removed, if that isn't allowed. */
export const refuseChanges = (before: readonly string[], map: ResourceMap, plugin: string): void => {
  const after = new Set(map.list.map(resource => idString(resource.currentId())))
  const removed = before.filter(id => !after.has(id))
  const known = new Set(before)
  const added = [...after].filter(id => !known.has(id))
  if (removed.length === 0 && added.length === 0) return
  const changes = [...added.map(id => `added ${id}`), ...removed.map(id => `removed ${id}`)]
  throw new KustomizeError(`plugin ${plugin} may not add, remove or rename resources, but ${changes.join(', ')}`)
}

/** The resources by their ids as messages show them, to compare with those after a plugin has run. */
export const idsOf = (map: ResourceMap): string[] => map.list.map(resource => idString(resource.currentId()))
