import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { HubApi } from './hub-api.ts'
import { type ResourceScope, resourcePath } from './resource-path.ts'

/** A page of a list. */
export interface ListPage<T = KubernetesObject> {
  readonly items: readonly T[]
  readonly continue?: string
}

interface List<T> {
  readonly metadata?: { readonly continue?: string }
  readonly items: readonly T[]
}

/** Fails with ApiFailure or HubUnreachable. */
export const listPage = async <T extends KubernetesObject = KubernetesObject>(
  api: HubApi,
  kind: Kind,
  scope: ResourceScope,
  signal?: AbortSignal,
): Promise<ListPage<T>> => {
  const { items, metadata } = await api.get<List<T>>(resourcePath(kind, scope), signal)
  const identity = { apiVersion: apiVersionOf(kind), kind: kind.kind }
  const next = metadata?.continue
  return { items: items.map(item => ({ ...identity, ...item })), ...(next && { continue: next }) }
}
