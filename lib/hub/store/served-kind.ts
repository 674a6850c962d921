import type { KindRegistry, ServedKind } from '../../foundations/kinds/all.ts'
import { storageVersionOf } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { groupOf, versionOf } from '../../foundations/kinds/object.ts'
import { badRequest, noSuchResource } from './api-errors.ts'

/** The kind with a name. Fails with NotFound if this hub does not have it. */
export const kindNamed = (kinds: KindRegistry, { group, kind }: Pick<ObjectRef, 'group' | 'kind'>): Kind => {
  const found = kinds.find(group, kind)
  if (!found) throw noSuchResource()
  return found
}

/** The kind of an object, in the object's version. */
export const servedKindOf = (kinds: KindRegistry, { apiVersion, kind }: KubernetesObject): ServedKind => {
  const found = kindNamed(kinds, { group: groupOf(apiVersion), kind })
  const version = found.versions.find(({ name }) => name === versionOf(apiVersion))
  if (!version) throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`)
  return { kind: found, version }
}

/** The kind of a patch, in the version that it names, or the storage version. */
export const servedForPatch = (kinds: KindRegistry, ref: ObjectRef, version: string | undefined): ServedKind => {
  const kind = kindNamed(kinds, ref)
  const found = version === undefined ? storageVersionOf(kind) : kind.versions.find(({ name }) => name === version)
  if (!found) throw noSuchResource()
  return { kind, version: found }
}

/** The object with another version's apiVersion: all versions of a kind share their fields. */
export const inVersion = (object: KubernetesObject, kind: Kind, version: string): KubernetesObject => {
  const apiVersion = kind.group ? `${kind.group}/${version}` : version
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}

/** An object as returned to clients of a version. */
export const shownIn = (object: KubernetesObject, { kind, version }: ServedKind): KubernetesObject => {
  const named = inVersion(object, kind, version.name)
  return version.convert?.(named) ?? named
}

/** The object as the hub stores it, whatever version a client has written. */
export const inStorageVersion = (object: KubernetesObject, kind: Kind): KubernetesObject =>
  inVersion(object, kind, storageVersionOf(kind).name)
