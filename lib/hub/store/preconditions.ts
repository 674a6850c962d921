/** Preconditions of changes. Each check fails with Kubernetes' error. */
import type { ServedKind } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { badRequest, conflict, modified } from './api-errors.ts'
import type { DeleteOptions } from './hub.ts'

/** A resourceVersion must match the stored one. */
export const requireVersion = ({ kind }: ServedKind, { metadata }: KubernetesObject, old: KubernetesObject): void => {
  const { resourceVersion } = metadata ?? {}
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw modified(kind, old.metadata.name)
}

/** A UID must match: the name may belong to another object by now. */
export const requireUid = ({ kind }: ServedKind, { metadata }: KubernetesObject, old: KubernetesObject): void => {
  const { uid } = metadata ?? {}
  if (uid && uid !== old.metadata.uid)
    throw conflict(
      kind,
      old.metadata.name,
      `Precondition failed: UID in precondition: ${shown(uid)}, UID in object meta: ${old.metadata.uid}`,
    )
}

/** A patch may produce anything, including an object with its own toString. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A patch may change anything except the object's identity. */
export const requireIdentity = (proposed: KubernetesObject, { apiVersion, kind, metadata }: KubernetesObject): void => {
  const { name, namespace } = proposed.metadata ?? {}
  if (!name)
    throw badRequest(`the name of the object (${metadata.name} based on URL) was undeterminable: name must be provided`)
  if (name !== metadata.name)
    throw badRequest(`the name of the object (${shown(name)}) does not match the name on the URL (${metadata.name})`)
  if (namespace !== metadata.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  if (proposed.apiVersion !== apiVersion || proposed.kind !== kind)
    throw badRequest(
      `the API version in the data (${shown(proposed.apiVersion)}) does not match the expected API version (${apiVersion})`,
    )
}

/**
 * Throws ApiError (409) unless the object has the UID and resourceVersion that a DELETE expects, with Kubernetes'
 * messages.
 */
export const requirePreconditions = (kind: Kind, { metadata }: KubernetesObject, options: DeleteOptions): void => {
  const refuse = (what: string, wanted: string, found: string | undefined, meaning: string) =>
    conflict(
      { group: kind.group, plural: kind.kind },
      metadata.name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${meaning}`,
    )
  const { uid, resourceVersion } = options
  if (uid !== undefined && uid !== metadata.uid) throw refuse('UID', uid, metadata.uid, 'deleted and then recreated')
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified')
}
