/** What a server tells everybody about itself: its version and its health. */
import { answer, textAnswer } from '../wire/answer.ts'

/** The Kubernetes API that is spoken here; kubectl warns when it is more than one minor version away from its own. */
const version = {
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

/** What is wrong, in one sentence; undefined when nothing is. */
export interface Health {
  /** With what starting the process anew may mend. */
  alive(): Promise<string | undefined>
  /** With what mends without that. */
  ready(): Promise<string | undefined>
}

const healthPath = /^\/(healthz|livez|readyz)(?:\/ping)?$/

/** Answers without asking who calls, as Kubernetes does by default; undefined for other paths. */
export const publicInfo = async (
  request: Request,
  { pathname }: URL,
  health: Health,
): Promise<Response | undefined> => {
  if (pathname === '/version' || pathname === '/version/') return answer({ request }, JSON.stringify(version))
  const [, probe] = healthPath.exec(pathname) ?? []
  if (!probe) return undefined
  const problem = (await health.alive()) ?? (probe === 'livez' ? undefined : await health.ready())
  return problem === undefined ? textAnswer('ok') : textAnswer(`${problem}\n`, 500)
}
