import type { Kind } from '../foundations/kinds/kind.ts'
import { ApiFailure, type HubApi } from './hub-api.ts'
import { withQuery } from './with-query.ts'

/** The person may not list this in all namespaces, and has to choose one of those in which they may. */
export class NamespaceNeeded extends ApiFailure {
  readonly namespaces: readonly string[]
  constructor({ status, message }: ApiFailure, namespaces: readonly string[]) {
    super(status, message)
    this.name = 'NamespaceNeeded'
    this.namespaces = namespaces
  }
}

export interface OnlyIn {
  /** The list is of this namespace, although none was chosen: the person may list no other. */
  readonly onlyIn?: string
}

/** `namespace`: all if undefined. */
type Read<T> = (api: HubApi, namespace: string | undefined, signal: AbortSignal) => Promise<T>

/**
 * Reads a list of a kind in a namespace, or in all, or else in the only one in which the person may list it, which later reads begin with.
 * Fails with NamespaceNeeded if these are several, and otherwise as `read` does.
 */
export const permittedReader = <T extends object>(kind: Kind, namespace: string | undefined, read: Read<T>) => {
  let only: string | undefined
  const readOnlyIn = async (api: HubApi, one: string, signal: AbortSignal) => ({
    ...(await read(api, one, signal)),
    onlyIn: one,
  })
  return async (api: HubApi, signal: AbortSignal): Promise<T & OnlyIn> => {
    const known = only
    only = undefined // unless it is still allowed
    if (known !== undefined) {
      const list = await readOnlyIn(api, known, signal)
      only = known
      return list
    }
    try {
      return await read(api, namespace, signal)
    } catch (error) {
      if (namespace !== undefined || !(error instanceof ApiFailure && error.status === 403)) throw error
      const [first, ...more] = await readNamespaces(api, kind, signal)
      if (first === undefined) throw error
      if (more.length > 0) throw new NamespaceNeeded(error, [first, ...more])
      const list = await readOnlyIn(api, first, signal)
      only = first
      return list
    }
  }
}

const readNamespaces = async (
  api: HubApi,
  { plural, group }: Kind,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const resource = [plural, group].filter(Boolean).join('.')
  const { items } = await api.get<{ readonly items: readonly string[] }>(
    withQuery('/fleet/namespaces', { resource }),
    signal,
  )
  return items
}
