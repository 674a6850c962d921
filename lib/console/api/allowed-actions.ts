import type { Kind } from '../../foundations/kinds/kind.ts'
import type { HubApi } from './hub-api.ts'

/** Whether the person may change an object; if not, why. */
export interface Allowed {
  readonly mayPatch: boolean
  readonly why: string
}

interface Review {
  readonly status?: { readonly allowed?: boolean; readonly reason?: string }
}

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/** Checked before a button is shown; the API checks again when it is pressed. */
export const allowedActions = async (api: HubApi, kind: Kind, namespace: string, name: string): Promise<Allowed> => {
  const resourceAttributes = { group: kind.group, resource: kind.plural, namespace, name, verb: 'patch' }
  const { status } = await api.post<Review>(reviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  })
  const mayPatch = status?.allowed === true
  const why = `${api.user.name} may not patch ${kind.plural} in the namespace ${namespace}`
  return { mayPatch, why: mayPatch ? '' : why }
}
