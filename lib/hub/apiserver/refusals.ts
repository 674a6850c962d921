/** HTTP-specific errors, with an API server's messages. */

import type { Kind } from '../../foundations/kinds/kind.ts'
import { resourceName } from '../store/api-errors.ts'
import { ApiError } from '../store/hub.ts'

/** 401, for a request without a valid credential. It never says what is wrong with it. */
export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized')

/** 406, for an `Accept` header without a type that this response has. */
export const notAcceptable = (types: readonly string[]): ApiError =>
  new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`)

/** 415, for a body of a type that this verb doesn't read. */
export const unsupportedMediaType = (types: readonly string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
  )

/** 405, for paths that are no resources. */
export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/** For kinds that a hub only presents. Usually sent by a Kustomization that lacks spec.kubeConfig. */
export const runsNoWorkloads = ({ kind }: Pick<Kind, 'kind'>): ApiError =>
  new ApiError(
    405,
    'MethodNotAllowed',
    `a hub runs no workloads and accepts no ${kind}: apply it to a cluster, with a Kustomization that names the cluster in spec.kubeConfig`,
    {},
  )

/** The same error for user-defined kinds. */
export const verbNotSupported = (kind: Pick<Kind, 'group' | 'plural'>, verb: string): ApiError =>
  new ApiError(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${resourceName(kind)}"`, {
    group: kind.group,
    kind: kind.plural,
  })

/** 413, for a body that is short, and would become too many objects in memory. Keelson's own limit. */
export const tooManyValues = (limit: number): ApiError =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: it holds more than ${limit} values`)

/** 413, for a body of more than `limit` bytes, as kube-apiserver refuses it. */
export const tooLarge = (limit: number): ApiError =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`)
