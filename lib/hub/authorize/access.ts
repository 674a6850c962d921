/** Who wants to do what, and the answer: the words that callers of an authorizer share. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'

export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** A resource as a request's path names it. */
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

/** What somebody wants to do: with resources, or (`path` only) with another path of the API. */
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

/** All that applies to somebody in one namespace, or ('') in none. */
export interface UserRules {
  readonly rules: readonly PolicyRule[]
  /** Why the list may be incomplete: bindings to roles that are not there. */
  readonly errors: readonly string[]
}

/** Judges users, for everything that acts in somebody's name: the API, reconcilers under a ServiceAccount, the dashboard. */
export interface Authorizer {
  readonly authorize: Authorize
  rulesFor(user: User, namespace: string): Promise<UserRules>
  /**
   * Whether a user may write this role, binding or Namespace: nobody grants more than they have (Kubernetes' privilege escalation
   * prevention), a cluster among them. Other kinds pass. Fails with an ApiError in an API server's words.
   */
  requireGrantable(user: User, object: KubernetesObject, old?: KubernetesObject): Promise<void>
}

/** Lets everybody who is known do everything. */
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

/** Members may do everything, whatever the roles say: so that nobody is locked out. */
const masters = 'system:masters'

export const isMaster = ({ groups }: User): boolean => groups.includes(masters)
