import { KustomizeError } from './kustomize-error.ts'
import type { Resource } from './resource.ts'
import { idKey, idString, type ResourceId } from './resource-id.ts'

/** The resources of a build in order, with unique ids. */
export class ResourceMap {
  private resources: Resource[]
  /** Ids of the list, computed when a resource is appended. A list that is appended to was never changed before, so the ids stay valid. */
  private ids: Set<string> | undefined

  constructor(list: Resource[] = []) {
    this.resources = list
  }

  get list(): Resource[] {
    return this.resources
  }

  set list(list: Resource[]) {
    this.resources = list
    this.ids = undefined
  }

  append(resource: Resource): void {
    const key = resource.currentKey()
    this.ids ??= new Set(this.list.map(known => known.currentKey()))
    if (this.ids.has(key))
      throw new KustomizeError(
        `may not add resource with an already registered id: ${idString(resource.currentId())}`,
        {
          file: resource.origin.file,
        },
      )
    this.ids.add(key)
    this.list.push(resource)
  }

  appendAll(resources: Iterable<Resource>): void {
    for (const resource of resources) this.append(resource)
  }

  /** Removes deleted objects. */
  dropEmpty(): void {
    if (!this.list.some(resource => resource.isEmpty)) return
    this.list = this.list.filter(resource => !resource.isEmpty)
  }

  byCurrentId(id: ResourceId): Resource[] {
    const key = idKey(id)
    return this.list.filter(resource => resource.name === id.name && resource.currentKey() === key)
  }

  /** Resources with a matching current or previous id. */
  byAnyId(matches: (id: ResourceId) => boolean): Resource[] {
    return this.list.filter(
      resource => !resource.isEmpty && (resource.previousIds().some(matches) || matches(resource.currentId())),
    )
  }

  /** Resources with this current or previous name: a fast way to narrow the search. */
  named(name: string): Resource[] {
    return this.list.filter(resource => resource.name === name || resource.previous.some(id => id.name === name))
  }

  /** Resources with this current or previous id. */
  sameId(id: ResourceId): Resource[] {
    const key = idKey(id)
    const same = (other: ResourceId): boolean => idKey(other) === key
    return this.named(id.name).filter(resource => resource.previousIds().some(same) || same(resource.currentId()))
  }

  /** The only resource with this current or previous id. */
  one(id: ResourceId): Resource {
    const found = this.sameId(id)
    if (found.length === 1) return found[0]!
    const problem = found.length === 0 ? 'no matches' : 'multiple matches'
    throw new KustomizeError(
      `${problem} for Id ${idString(id)}; failed to find unique target for patch ${idString(id)}`,
    )
  }
}
