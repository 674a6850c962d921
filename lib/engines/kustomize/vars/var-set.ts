import type { VarEntry } from '../kustomization.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { type Gvk, gvkEquals, gvkString, idEquals, type ResourceId } from '../resource-id.ts'
import type { ResourceMap } from '../resource-map.ts'

/** A name for the value of a field of some resource. */
export interface Var {
  readonly name: string
  readonly object: Gvk & { readonly name: string; readonly namespace: string }
  readonly fieldPath: string
}

/** A var with defaults. `objref.apiVersion` counts before `group` and `version`. */
export const toVar = ({ name = '', objref = {}, fieldref = {} }: VarEntry): Var => {
  const { apiVersion = '', group = '', version = '', kind = '' } = objref
  const parts = apiVersion === '' ? [] : apiVersion.split('/')
  return {
    name,
    object: {
      group: parts.length === 2 ? parts[0]! : group,
      version: parts.length === 1 || parts.length === 2 ? parts.at(-1)! : version,
      kind,
      name: objref.name ?? '',
      namespace: objref.namespace ?? '',
    },
    fieldPath: fieldref.fieldPath ?? '',
  }
}

/** The vars of a build, by name. */
export class VarSet {
  private readonly vars = new Map<string, Var>()

  add(added: Var): void {
    if (this.vars.has(added.name))
      throw new KustomizeError(`var '${added.name}' already encountered`, { field: 'vars' })
    this.vars.set(added.name, { ...added, fieldPath: added.fieldPath || 'metadata.name' })
  }

  mergeAll(other: VarSet): void {
    for (const added of other.vars.values()) this.add(added)
  }

  /** Sorted by name. */
  list(): Var[] {
    return [...this.vars.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }
}

/** Records on the resource that a var refers to it: later steps may rename it. */
export const bindVar = (map: ResourceMap, bound: Var): void => {
  const { object } = bound
  const id: ResourceId = { ...object, clusterScoped: false }
  // A var without a namespace matches in all of them.
  const found = map.byAnyId(other =>
    object.namespace === '' ? other.name === id.name && gvkEquals(other, id) : idEquals(id, other),
  )
  if (found.length > 1)
    throw new KustomizeError(`found ${found.length} resId matches for var ${goVar(bound)} (unable to disambiguate)`)
  const [resource] = found
  resource?.remember({ varNames: [...resource.varNames, bound.name] })
}

/** Go's `%v` of a var. */
export const goVar = ({ name, object, fieldPath }: Var): string => `{${name} ${gvkString(object)} {${fieldPath}}}`

/** Go's `%v` of vars as they are written: the apiVersion isn't parsed yet. */
export const goVars = (entries: readonly VarEntry[]): string => {
  const shown = entries.map(
    ({ name = '', objref: { group = '', version = '', kind = '' } = {}, fieldref }) =>
      `{${name} ${gvkString({ group, version, kind })} {${fieldref?.fieldPath ?? ''}}}`,
  )
  return `[${shown.join(' ')}]`
}
