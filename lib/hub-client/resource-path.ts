import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { withQuery } from './with-query.ts'

/** What of a kind is read. */
export interface ResourceScope {
  /** All namespaces if absent. */
  readonly namespace?: string | undefined
  readonly name?: string
  readonly query?: Readonly<Record<string, string | undefined>>
}

/** The address of a kind's objects in the API, in its preferred version. */
export const resourcePath = (kind: Kind, { namespace, name, query = {} }: ResourceScope = {}): string => {
  const base = kind.group === '' ? '/api/v1' : `/apis/${apiVersionOf(kind)}`
  const scope = kind.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`
  return withQuery(`${base}${scope}/${kind.plural}${object}`, query)
}
