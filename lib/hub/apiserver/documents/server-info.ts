/** Public information about the server: its version and health. */
import { respond, textResponse } from '../wire/respond.ts'

/** The version of Kubernetes' API; kubectl warns if it differs from its own by more than one minor version. */
export const serverVersion = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3+keelson',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
}

/** Each returns a problem in one sentence, or undefined. */
export interface Health {
  /** Problems that a restart may solve. */
  alive(): Promise<string | undefined>
  /** Problems that pass without a restart. */
  ready(): Promise<string | undefined>
}

const healthPath = /^\/(healthz|livez|readyz)(?:\/ping)?$/
const versionPath = /^\/version\/?$/

/** Whether a path is public: its content reveals nothing about the objects of the hub. */
export const isPublic = (pathname: string): boolean => healthPath.test(pathname) || versionPath.test(pathname)

/** Responds without authentication, as Kubernetes does by default; undefined for other paths. */
export const publicInfo = async (
  request: Request,
  { pathname }: URL,
  health: Health,
): Promise<Response | undefined> => {
  if (versionPath.test(pathname)) return respond({ request }, JSON.stringify(serverVersion))
  const [, probe] = healthPath.exec(pathname) ?? []
  if (!probe) return undefined
  const problem = (await health.alive()) ?? (probe === 'livez' ? undefined : await health.ready())
  return problem === undefined ? textResponse('ok') : textResponse(`${problem}\n`, 500)
}
