/** Types that callers of an authorizer share: a request for access, and the decision. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'

export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** A resource as named by a request's path. */
export interface ResourceAttributes {
  /** '' is the core group. */
  readonly group: string
  readonly version: string
  /** The plural, as in the path. */
  readonly resource: string
  readonly subresource: string
  /** '' for cluster-scoped resources and for all namespaces. */
  readonly namespace: string
  /** '' for collections. */
  readonly name: string
}

/** A requested action: on resources, or (only `path`) on another path of the API. */
export interface Attributes {
  readonly user: User
  /** Lower-case HTTP method for paths. */
  readonly verb: string
  readonly path: string
  readonly resource?: ResourceAttributes
}

export interface Decision {
  readonly allowed: boolean
  readonly reason?: string
}

export type Authorize = (attributes: Attributes) => Promise<Decision>

/** All rules that apply to a user in one namespace, or ('') in none. */
export interface UserRules {
  readonly rules: readonly PolicyRule[]
  /** Why the list may be incomplete: bindings to missing roles. */
  readonly errors: readonly string[]
}

/** Authorizes users for everything that acts on someone's behalf: the API, reconcilers under a ServiceAccount, the dashboard. */
export interface Authorizer {
  readonly authorize: Authorize
  rulesFor(user: User, namespace: string): Promise<UserRules>
  /**
   * Whether a user may write this role, binding, Namespace or unit: no one can grant more than they have (Kubernetes' privilege escalation
   * prevention), including access to a cluster, or override windows or approve changes without the right to. Ignores other kinds. Fails with an ApiError, as in an API
   * server.
   */
  requireGrantable(user: User, object: KubernetesObject, old?: KubernetesObject): Promise<void>
}

/** Allows everything to every authenticated user. */
export const allowAll: Authorizer = {
  authorize: async () => ({ allowed: true }),
  rulesFor: async () => ({
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
    errors: [],
  }),
  requireGrantable: async () => {},
}

/** Members may do everything, whatever the roles say, so that a hub can't lock out its administrators. */
const masters = 'system:masters'

export const isMaster = ({ groups }: User): boolean => groups.includes(masters)
