import { ApiError } from '../store/hub.ts'
import type { Attributes, Authorize } from './authentication/caller.ts'

/** Fails with Forbidden and Kubernetes' message if the user may not do this. */
export const requireAllowed = async (attributes: Attributes, authorize: Authorize): Promise<void> => {
  const { allowed, reason } = await authorize(attributes)
  if (!allowed) throw forbidden(attributes, reason)
}

const forbidden = ({ user, verb, path, resource }: Attributes, reason: string | undefined): ApiError => {
  const why = reason ? `: ${reason}` : ''
  if (!resource)
    return new ApiError(403, 'Forbidden', `forbidden: User "${user.name}" cannot ${verb} path "${path}"${why}`, {})
  const { group, resource: plural, subresource, namespace, name } = resource
  const target = subresource ? `${plural}/${subresource}` : plural
  const scope = namespace ? ` in the namespace "${namespace}"` : ' at the cluster scope'
  const subject = `${group ? `${plural}.${group}` : plural}${name ? ` "${name}"` : ''}`
  const message = `${subject} is forbidden: User "${user.name}" cannot ${verb} resource "${target}" in API group "${group}"${scope}${why}`
  return new ApiError(403, 'Forbidden', message, {
    ...(name && { name }),
    ...(group && { group }),
    kind: plural,
  })
}
