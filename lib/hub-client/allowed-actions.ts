import { statusCondition } from '../foundations/fleet/object-state.ts'
import { pruneGuarded } from '../foundations/kinds/applied.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { approvalKind } from './fleet-kinds.ts'
import type { HubApi } from './hub-api.ts'

/** What the person may do with an object. Checked before a button is shown; the API checks again when it is pressed. */
export interface Allowed {
  readonly mayPatch: boolean
  /** Why it is missing; empty if they may. */
  readonly why: string
  /** Whether its windows may be overridden. */
  readonly mayOverride: boolean
  /** Whether they may approve or reject deletions that it holds back. Not checked while it holds back none. */
  readonly mayDecide: boolean
  /** What it takes its content from, as far as the person may request it. */
  readonly sources: readonly SourceOfObject[]
  /** The names of those that they may not. */
  readonly refusedSources: readonly string[]
}

export interface SourceOfObject {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
}

/** One thing that may be allowed or not. */
export interface Wanted {
  readonly kind: Kind
  readonly verb: string
  readonly subresource?: string
  readonly namespace: string
  readonly name?: string
}

interface Review {
  readonly status?: { readonly allowed?: boolean }
}

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/** Whether RBAC allows it to the user, by a SelfSubjectAccessReview. Fails with ApiFailure or HubUnreachable. */
export const isAllowed = async (
  api: HubApi,
  { kind: { group, plural }, verb, ...wanted }: Wanted,
): Promise<boolean> => {
  const { status } = await api.post<Review>(reviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group, resource: plural, verb, ...wanted } },
  })
  return status?.allowed === true
}

/** A decision needs the right to store one, and the verb `approve` on what it is about. */
export const mayDecide = async (
  api: HubApi,
  kind: Kind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<boolean> => {
  const needed = await Promise.all([
    isAllowed(api, { kind, verb: 'approve', namespace, name }),
    isAllowed(api, { kind: approvalKind, verb: 'create', namespace }),
  ])
  return needed.every(Boolean)
}

/** Checks all at once. `sources` are what the object takes its content from. */
export const allowedActions = async (
  api: HubApi,
  kind: Kind,
  object: KubernetesObject,
  sources: readonly SourceOfObject[],
): Promise<Allowed> => {
  const { namespace = '', name } = object.metadata
  const isHolding = statusCondition(object, pruneGuarded)?.status === 'True'
  const [mayPatch, mayOverride, isApprover, ...maySources] = await Promise.all([
    isAllowed(api, { kind, verb: 'patch', namespace, name }),
    isAllowed(api, { kind, verb: 'override', namespace, name }),
    isHolding && mayDecide(api, kind, { namespace, name }),
    ...sources.map(source => isAllowed(api, { verb: 'patch', ...source })),
  ])
  return {
    mayPatch: mayPatch === true,
    why: mayPatch ? '' : `${api.user.name} may not patch ${kind.plural} in the namespace ${namespace}`,
    mayOverride: mayOverride === true,
    mayDecide: isApprover === true,
    sources: sources.filter((_, at) => maySources[at]),
    refusedSources: sources.filter((_, at) => !maySources[at]).map(({ kind, name }) => `${kind.kind} ${name}`),
  }
}
