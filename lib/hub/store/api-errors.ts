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

export const notFound = (kind: Resource, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${resourceName(kind)} "${name}" not found`, detailsOf(kind, name))

/** An unknown path, or a kind that is not served. */
export const noSuchResource = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})

export const alreadyExists = (kind: Resource, name: string): ApiError =>
  new ApiError(409, 'AlreadyExists', `${resourceName(kind)} "${name}" already exists`, detailsOf(kind, name))

export const conflict = (kind: Resource, name: string, why: string, causes?: readonly StatusCause[]): ApiError =>
  new ApiError(409, 'Conflict', `Operation cannot be fulfilled on ${resourceName(kind)} "${name}": ${why}`, {
    ...detailsOf(kind, name),
    ...(causes && { causes }),
  })

export const modified = (kind: Resource, name: string): ApiError =>
  conflict(kind, name, 'the object has been modified; please apply your changes to the latest version and try again')

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

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message)

export const insufficientStorage = (message: string): ApiError => new ApiError(507, 'InsufficientStorage', message)

export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message)

/** For objects of a kind whose definition is being deleted. */
export const terminating = ({ group, plural }: Resource): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating', {
    group,
    kind: plural,
  })
