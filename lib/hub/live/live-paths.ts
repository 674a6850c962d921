import { type LiveRead, type LogRead, maxTailLines } from '../../foundations/fleet/live.ts'
import { badRequest } from '../store/api-errors.ts'

/** The paths of reports on what is on clusters, with their parameters. */
const liveParameters: Readonly<Record<string, readonly string[]>> = {
  '/fleet/live': ['unit'],
  '/fleet/live/object': ['unit', 'object'],
  '/fleet/live/events': ['unit', 'object'],
  '/fleet/live/log': ['unit', 'object', 'container', 'previous', 'tailLines'],
}

export const isLivePath = (path: string): boolean => Object.hasOwn(liveParameters, path)

/** What a request reads; undefined if it is none for what is on a cluster. Fails with BadRequest for a parameter that is missing or unknown. */
export const liveReadOf = (url: URL, more: readonly string[] = []): LiveRead | undefined => {
  const known = isLivePath(url.pathname) ? liveParameters[url.pathname]! : undefined
  if (!known) return undefined
  const given = readParameters(url, [...known, ...more])
  switch (url.pathname) {
    case '/fleet/live/object':
      return { what: 'object', object: given('object') }
    case '/fleet/live/events':
      return { what: 'events', object: given('object') }
    case '/fleet/live/log':
      return { what: 'log', object: given('object'), ...logReadOf(url, given('container')) }
    default:
      return { what: 'tree' }
  }
}

const logReadOf = ({ searchParams: query }: URL, container: string): LogRead => {
  const [previous, tailLines] = [query.get('previous'), query.get('tailLines')]
  if (previous !== null && previous !== 'true') throw badRequest('previous must be true, or absent')
  if (tailLines !== null && !(/^[1-9]\d*$/.test(tailLines) && Number(tailLines) <= maxTailLines))
    throw badRequest(`tailLines must be a whole number from 1 to ${maxTailLines}`)
  return { container, ...(previous && { previous: true }), ...(tailLines && { tailLines: Number(tailLines) }) }
}

/** Reads the parameters of a report. Fails with BadRequest for one that is missing when it is read, and for others than the known. */
export const readParameters = ({ pathname, searchParams: query }: URL, known: readonly string[]) => {
  for (const name of query.keys())
    if (!known.includes(name)) throw badRequest(`unknown parameter ${name} of ${pathname}`)
  return (name: string): string => {
    const value = query.get(name)
    if (value) return value
    throw badRequest(`missing parameter ${name} of ${pathname}`)
  }
}
