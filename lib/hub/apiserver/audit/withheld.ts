/** What is never recorded, whatever the policy says: values of Secrets, tokens, and what runners get. */
import type { ResourceAttributes } from '../../authorize/access.ts'
import type { ResponseStatus } from './audit-event.ts'
import type { AuditLevel } from './audit-policy.ts'

/** Whether requests for a resource, or their responses, contain secrets. */
const isSecret = ({ group, resource, subresource }: ResourceAttributes): boolean =>
  (group === '' && resource === 'secrets') ||
  (group === '' && resource === 'serviceaccounts' && subresource === 'token') ||
  (group === 'authentication.k8s.io' && resource === 'tokenreviews') ||
  (group === 'fleet.keelson.dev' && resource === 'clusters' && subresource === 'runner')

/** The level at which a request may be recorded. */
export const allowedLevel = (level: AuditLevel, resource: ResourceAttributes | undefined): AuditLevel =>
  resource && isSecret(resource) && level !== 'None' ? 'Metadata' : level

/** Reasons whose messages only name objects; others may quote a field's value. */
const quoteless: ReadonlySet<string | undefined> = new Set([
  'AlreadyExists',
  'Conflict',
  'Expired',
  'Forbidden',
  'MethodNotAllowed',
  'NotAcceptable',
  'NotFound',
  'TooManyRequests',
  'Unauthorized',
  'UnsupportedMediaType',
])

/** Whether messages of refusals for this reason contain nothing of an object but its name. */
export const isQuoteless = (reason: string | undefined): boolean => quoteless.has(reason)

/** A status without fields that may quote a secret. */
export const allowedStatus = (status: ResponseStatus, resource: ResourceAttributes | undefined): ResponseStatus => {
  if (!resource || !isSecret(resource) || isQuoteless(status.reason) || status.status === 'Success') return status
  const { message: _, details: __, ...rest } = status
  return rest
}
