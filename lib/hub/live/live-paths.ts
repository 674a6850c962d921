/** The paths of reports on what is on clusters, with their parameters. */
export const liveParameters: Readonly<Record<string, readonly string[]>> = {
  '/fleet/live': ['unit'],
  '/fleet/live/object': ['unit', 'object'],
  '/fleet/live/events': ['unit', 'object'],
  '/fleet/live/log': ['unit', 'object', 'container'],
}

export const isLivePath = (path: string): boolean => Object.hasOwn(liveParameters, path)
