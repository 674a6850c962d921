/** An API server's errors, with its messages. */

import type { Kind } from '../../foundations/kinds/kind.ts'
import type { FieldError } from '../../foundations/kinds/schema/field-error.ts'
import { describeInvalid } from '../../foundations/kinds/schema/field-error.ts'
import type { StatusCause } from './hub.ts'
import { ApiError } from './hub.ts'

type Resource = Pick<Kind, 'group' | 'plural'>
type Named = Pick<Kind, 'group' | 'kind'>

/** `kustomizations.kustomize.toolkit.fluxcd.io`, or `secrets` in the core group. */
export const resourceName = ({ group, plural }: Resource): string => (group ? `${plural}.${group}` : plural)

/** Status details contain the resource under `kind`, as in Kubernetes. */
const detailsOf = ({ group, plural }: Resource, name: string) => ({ name, ...(group && { group }), kind: plural })

/** 404, for an object that isn't there. Kubernetes names the resource, in plural, with its group. */
export const notFound = (kind: Resource, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${resourceName(kind)} "${name}" not found`, detailsOf(kind, name))

/** An unknown path, or a kind that is not served. */
export const noSuchResource = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})

/** 409, for a name that is taken. */
export const alreadyExists = (kind: Resource, name: string): ApiError =>
  new ApiError(409, 'AlreadyExists', `${resourceName(kind)} "${name}" already exists`, detailsOf(kind, name))

/** 409, for a write that does not fit the stored object; `why` follows Kubernetes' introduction. */
export const conflict = (kind: Resource, name: string, why: string, causes?: readonly StatusCause[]): ApiError =>
  new ApiError(409, 'Conflict', `Operation cannot be fulfilled on ${resourceName(kind)} "${name}": ${why}`, {
    ...detailsOf(kind, name),
    ...(causes && { causes }),
  })

/** The conflict of a write with an old resourceVersion, which clients recognize by its text and retry. */
export const modified = (kind: Resource, name: string): ApiError =>
  conflict(kind, name, 'the object has been modified; please apply your changes to the latest version and try again')

/** 403, for a write that admission or a rule of the kind refuses. What RBAC refuses has a message of its own. */
export const forbidden = (kind: Resource, name: string, why: string, causes?: readonly StatusCause[]): ApiError =>
  new ApiError(403, 'Forbidden', `${resourceName(kind)} "${name}" is forbidden: ${why}`, {
    ...detailsOf(kind, name),
    ...(causes && { causes }),
  })

/** All errors of an object at once. */
export const invalid = (kind: Named, name: string | undefined, errors: readonly FieldError[]): ApiError =>
  new ApiError(422, 'Invalid', describeInvalid(kind, name ?? '', errors), {
    ...(name && { name }),
    ...(kind.group && { group: kind.group }),
    ...(kind.kind && { kind: kind.kind }),
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  })

/** 400, for a request that can't be understood. */
export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message)

/** 507, which Kubernetes doesn't have: the disk of the hub is full. */
export const insufficientStorage = (message: string): ApiError => new ApiError(507, 'InsufficientStorage', message)

/** 410, for a resourceVersion or continue token whose changes are no longer in the log: clients list again. */
export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message)

/** For objects of a kind whose definition is being deleted. */
export const terminating = ({ group, plural }: Resource): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating', {
    group,
    kind: plural,
  })
