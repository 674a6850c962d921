import { badRequest } from '../store/api-errors.ts'

/** The paths of reports on what is on clusters, with their parameters. */
export const liveParameters: Readonly<Record<string, readonly string[]>> = {
  '/fleet/live': ['unit'],
  '/fleet/live/object': ['unit', 'object'],
  '/fleet/live/events': ['unit', 'object'],
  '/fleet/live/log': ['unit', 'object', 'container'],
}

export const isLivePath = (path: string): boolean => Object.hasOwn(liveParameters, path)

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
