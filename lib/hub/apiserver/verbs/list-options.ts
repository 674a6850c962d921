import { forbidden, unsupported } from '../../../foundations/kinds/schema/field-error.ts'
import { badRequest, invalid } from '../../store/api-errors.ts'
import type { HubListQuery } from '../../store/hub.ts'
import type { Call } from '../call.ts'

/** metav1.ListOptions. */
export interface ListOptions {
  readonly query: HubListQuery
  readonly resourceVersion: string
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan'
  readonly timeoutSeconds?: number
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents?: boolean
}

/** Fails with BadRequest or Invalid if an option is malformed or conflicts with others. */
export const listOptionsOf = ({ query, info, served }: Call): ListOptions => {
  const { group, kind, namespaced } = served.kind
  const text = (name: string) => query.get(name) || undefined
  const limit = number(query, 'limit')
  const timeoutSeconds = number(query, 'timeoutSeconds')
  const match = query.get('resourceVersionMatch') ?? ''
  const sendInitialEvents = query.has('sendInitialEvents') ? flag(query, 'sendInitialEvents') : undefined
  const options = {
    query: {
      group,
      kind,
      ...(namespaced && info.namespace && { namespace: info.namespace }),
      ...(text('labelSelector') && { labelSelector: text('labelSelector') }),
      ...(text('fieldSelector') && { fieldSelector: text('fieldSelector') }),
      ...(limit && { limit }),
      ...(text('continue') && { continue: text('continue') }),
    },
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: match as ListOptions['resourceVersionMatch'],
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks'),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(sendInitialEvents !== undefined && { sendInitialEvents }),
  }
  const problems = problemsOf(options, info.verb === 'watch')
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, undefined, problems)
  return options
}

const problemsOf = (options: ListOptions, isWatch: boolean) => {
  const { resourceVersion, resourceVersionMatch: match, sendInitialEvents, query } = options
  if (match && match !== 'Exact' && match !== 'NotOlderThan')
    return [unsupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', ''])]
  if (sendInitialEvents !== undefined) {
    if (!isWatch) return [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')]
    if (match !== 'NotOlderThan')
      return [
        forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
      ]
    if (sendInitialEvents && !options.allowWatchBookmarks)
      return [forbidden('sendInitialEvents', 'sendInitialEvents requires setting allowWatchBookmarks to true')]
    return []
  }
  if (!match) return []
  if (isWatch) return [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch')]
  if (!resourceVersion)
    return [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided')]
  if (query.continue)
    return [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided')]
  if (match === 'Exact' && resourceVersion === '0')
    return [forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
  return []
}

const number = (query: URLSearchParams, name: string): number | undefined => {
  const given = query.get(name)
  if (!given) return undefined
  if (!/^\d{1,15}$/.test(given)) throw badRequest(`strconv.ParseInt: parsing "${given.slice(0, 40)}": invalid syntax`)
  return Number(given)
}

const flag = (query: URLSearchParams, name: string): boolean => {
  const given = query.get(name)?.toLowerCase()
  return given !== undefined && given !== 'false' && given !== '0'
}
