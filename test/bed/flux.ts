import { type Ending, ending } from './command.ts'
import { kubectlEnv } from './kubectl.ts'

/** The flux CLI that KEELSON_FLUX names. The project carries none, and no way to build one. */
export const fluxBinary = process.env.KEELSON_FLUX

/** Options of a test that drives the flux CLI: skipped, with the reason, where there is none. */
export const needsFlux = fluxBinary ? {} : { skip: 'KEELSON_FLUX does not name a flux CLI' }

/** Runs flux with a kubeconfig; resolves to its output and exit code. */
export function flux(kubeconfig: string, args: readonly string[]): Promise<Ending> {
  if (!fluxBinary) throw new Error(needsFlux.skip)
  return ending(fluxBinary, args, { env: kubectlEnv(kubeconfig) })
}
