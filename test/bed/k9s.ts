import { kubectlEnv } from './kubectl.ts'
import { missingTerminal, startInTerminal, type Terminal } from './terminal.ts'

/** The k9s that KEELSON_K9S names: a build of it takes half an hour, so the project makes none. */
const binary = process.env.KEELSON_K9S

const missing = binary ? missingTerminal() : 'KEELSON_K9S does not name a k9s'

/** Options of a test that drives k9s: skipped, with the reason, where it can't be run. */
export const needsK9s = missing ? { skip: missing } : {}

/** k9s in a terminal, with a kubeconfig and no settings of the user. */
export const startK9s = (kubeconfig: string): Terminal => {
  if (!binary) throw new Error(missing)
  return startInTerminal(binary, ['--kubeconfig', kubeconfig, '--logoless'], { env: kubectlEnv(kubeconfig) })
}
